#include "corpora/shelf.h"

namespace compeer::corpora {

void Shelf::open(const Source& source) {
  source_ = source;
  known_.clear();
}

void Shelf::add(Dialogue dialogue, int64_t record) {
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
  books_.push_back({std::move(name),
                    pack(std::move(dialogue)),
                    source_.split,
                    {rounds.begin(), rounds.end()},
                    {asked.begin(), asked.end()}});
}

void Shelf::leave_out(int64_t record, const std::string& reason) {
  left_out_.push_back({source_.file.string(), record > 0 ? record : 1, reason});
}

}  // namespace compeer::corpora
