// Readers of records and files, and the data set made from their dialogues.
#include "corpora/corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace compeer::corpora {

namespace {

const char* first_of(const Keys& keys, const json& object) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const char* key) { return object.contains(key); });
  return found == keys.end() ? keys.back() : *found;
}

constexpr std::array<const char*, 3> split_names = {"train", "valid", "test"};

void add_turns(Example& example, const Dialogue& dialogue, const std::vector<UtteranceRun>& runs, size_t count,
               const std::string& between, const std::filesystem::path& media) {
  json& labels = example.record["labels"] = json::array();
  for (size_t i = 0; i < count; ++i) {
    SpokenTurn turn = spoken(dialogue.utterances, runs[i], between);
    example.history.push_back({chat_name(runs[i].role), std::move(turn.text), pictures(turn.labels, media)});
    labels.push_back(std::move(turn.labels));
  }
}

// Returns the strategy of a turn, or null if its utterances differ.
json only(const json& strategies) {
  for (const json& one : strategies) {
    if (one != strategies[0]) return nullptr;
  }
  return strategies.empty() ? json() : strategies[0];
}

}  // namespace

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
    leave_out(record, "has the same id '" + dialogue.id + "' as record " + std::to_string(known->second));
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

Dialogue RecordLayout::operator()(const json& record) const {
  Dialogue read;
  each(*turns ? list_of(record, turns) : record, turn, [&](const json& written, size_t) {
    Utterance one{role_of(written, speaker, roles), text_of(written, first_of(text, written))};
    if (finish_turn) finish_turn(written, one);
    read.utterances.push_back(std::move(one));
  });
  if (*id) read.id = id_of(record, id);
  for (const auto& [name, keys] : labels) read.labels[name] = label(record, first_of(keys, record));
  if (finish) finish(record, read);
  return read;
}

Reader json_records(RecordReader read) {
  return [read = std::move(read)](const CorpusFile& source, CorpusCache& cache) {
    read_records(source.file, cache.left_out(),
                 [&](const json& record, const RawRecord& raw) { cache.add(read(record), raw.number); });
  };
}

Reader json_lists(RecordReader read) {
  return whole_files([read = std::move(read)](const CorpusFile&, const std::string& bytes) {
    const json list = parse(bytes, 0);
    if (!list.is_array()) throw Refusal("is not a JSON list");
    return read(list);
  });
}

Reader whole_files(std::function<Dialogue(const CorpusFile& source, const std::string& bytes)> read) {
  return [read = std::move(read)](const CorpusFile& source, CorpusCache& cache) {
    const std::string bytes = read_file(source.file);
    refuse_utf16(bytes, source.file.string());
    try {
      cache.add(read(source, bytes), 0);
    } catch (const Refusal& refusal) {
      cache.leave_out(0, refusal.what());
    }
  };
}

Corpus::Corpus(const CorpusLayout& layout, const Settings& settings, Host& host)
    : name_(layout.name),
      language_(layout.language),
      between_(layout.between),
      by_turn_(settings.text("unit") == "turn"),
      merge_(settings.flag("merge")),
      media_(settings.has("media") ? std::filesystem::absolute(settings.text("media")) : ""),
      cache_(name_, merge_) {
  const double valid = settings.number("valid"), test = settings.number("test");
  if (valid + test > 1) throw Error(name_, "'valid' + 'test' must not exceed 1", "", Exit::spec);
  const auto path = settings.text("path");
  load(layout, path, host);
  if (cache_.left_out().empty() && cache_.entries().empty()) throw Error(path, "contains no dialogue", "", Exit::data);
  check_unreadable(cache_.left_out(), cache_.entries().size(), path, settings.number("max_unreadable"),
                   fmt::format("check that 'path' is the corpus {}", name_));
  arrange(valid, test);
}

void Corpus::load(const CorpusLayout& layout, const std::string& path, Host& host) {
  std::vector<std::string> others;
  for (const CorpusFile& source : sources(path, layout.extensions, others)) {
    cache_.open(source);
    layout.reader(source, cache_);
  }
  cache_.open({});  // forgets the names of the last file
  if (!others.empty())
    host.log(fmt::format("{}: {} {} not read: other files here are named after splits", path, listed(others),
                         others.size() > 1 ? "are" : "is"));
}

void Corpus::arrange(double valid, double test) {
  for (uint32_t i = 0; i < cache_.entries().size(); ++i) {
    const CorpusCache::Entry& entry = cache_.entries()[i];
    const auto name = entry.split.empty() ? split_of(entry.dialogue, valid, test) : entry.split;
    auto& examples = splits_[name == "train" ? 0 : name == "valid" ? 1 : 2];
    if (!by_turn_) {
      examples.push_back({i});
      continue;
    }
    for (uint32_t round = 0, next = 0; next < entry.target_answers.size();
         ++round) {  // `target_answers` is a subsequence of `rounds`
      if (entry.rounds[round] == entry.target_answers[next])
        examples.push_back({i, entry.target_answers[next++], round});
    }
  }
}

const std::vector<Corpus::ExampleAt>* Corpus::examples_of(const std::string& split) const {
  for (size_t i = 0; i < split_names.size(); ++i) {
    if (split == split_names[i]) return &splits_[i];
  }
  return nullptr;
}

int64_t Corpus::size(const std::string& split) const {
  const auto* found = examples_of(split);
  return found ? static_cast<int64_t>(found->size()) : 0;
}

json Corpus::common(const CorpusCache::Entry& entry, const Dialogue& dialogue) const {
  json record = dialogue.labels;
  record.update({{"dialogue", entry.dialogue}, {"source", name_}, {"language", language_}});
  return record;
}

Example Corpus::get(const std::string& split, int64_t index) {
  const ExampleAt place = examples_of(split)->at(static_cast<size_t>(index));
  const CorpusCache::Entry& entry = cache_.entries()[place.entry];
  const Dialogue dialogue = unpack(entry.bytes);
  const auto all = runs(dialogue.utterances, merge_);
  Example example{entry.dialogue, {}, "", common(entry, dialogue)};
  example.record["rounds"] = entry.rounds.size();
  add_turns(example, dialogue, all, by_turn_ ? place.turn : all.size(), between_, media_);
  if (!by_turn_) return example;
  json answer = json::object();
  if (place.turn < all.size()) {  // otherwise the corpus withholds it
    SpokenTurn turn = spoken(dialogue.utterances, all[place.turn], between_);
    example.answer = std::move(turn.text);
    answer = std::move(turn.labels);
  }
  json strategies = answer.value("strategy", json::array());
  answer.erase("strategy");
  example.id += "/" + std::to_string(place.round);
  example.record["round"] = place.round;
  example.record["strategy"] = only(strategies);
  example.record["strategies"] = std::move(strategies);
  example.record["answer"] = std::move(answer);
  return example;
}

}  // namespace compeer::corpora
