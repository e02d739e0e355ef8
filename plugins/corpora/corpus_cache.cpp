#include "corpora/corpus_cache.h"

#include <algorithm>

namespace compeer::corpora {

std::string_view ByteArena::keep(std::string_view bytes) {
  constexpr size_t block = 1 << 20;
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < bytes.size())
    blocks_.emplace_back().reserve(std::max(block, bytes.size()));
  std::string& last = blocks_.back();
  last.append(bytes);
  return std::string_view(last).substr(last.size() - bytes.size());
}

void CorpusCache::open(const CorpusFile& source) {
  source_ = source;
  known_.clear();
}

void CorpusCache::add(Dialogue dialogue, int64_t record) {
  std::string name = corpus_ + "/" + source_.name;
  if (record > 0) name += "/" + (dialogue.id.empty() ? std::to_string(record) : dialogue.id);
  const auto [known, is_new] = known_.emplace(name, record);
  if (!is_new) {
    leave_out(record, "has the id '" + dialogue.id + "', as record " + std::to_string(known->second) + " has");
    return;
  }
  for (const std::string& part : dialogue.left_out) leave_out(record, part);
  const auto turns = runs(dialogue.utterances, merge_);
  const auto rounds = answers(dialogue, turns, true), asked = answers(dialogue, turns, false);
  entries_.push_back({std::move(name),
                      arena_.keep(pack(dialogue)),
                      source_.split,
                      {rounds.begin(), rounds.end()},
                      {asked.begin(), asked.end()}});
}

void CorpusCache::leave_out(int64_t record, const std::string& reason) {
  left_out_.push_back({source_.file.string(), record > 0 ? record : 1, reason});
}

}  // namespace compeer::corpora
