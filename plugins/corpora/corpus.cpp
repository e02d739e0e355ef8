#include "corpora/corpus.h"

#include <fmt/format.h>

#include "base/error.h"

namespace compeer::corpora {

namespace {

constexpr std::array<const char*, 3> kSplits = {"train", "valid", "test"};

void add_turns(Example& example, const Dialogue& dialogue, const std::vector<UtteranceRun>& runs, size_t count,
               const std::string& between, const std::filesystem::path& media) {
  json& labels = example.record["labels"] = json::array();
  for (size_t i = 0; i < count; ++i) {
    SpokenTurn turn = spoken(dialogue.utterances, runs[i], between);
    example.history.push_back({chat_name(runs[i].role), std::move(turn.text), pictures(turn.labels, media)});
    labels.push_back(std::move(turn.labels));
  }
}

// The one strategy of a turn, if its utterances agree.
json only(const json& strategies) {
  for (const json& one : strategies) {
    if (one != strategies[0]) return nullptr;
  }
  return strategies.empty() ? json() : strategies[0];
}

}  // namespace

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
  if (cache_.left_out().empty() && cache_.entries().empty()) throw Error(path, "holds no dialogue", "", Exit::data);
  refuse_too_many(cache_.left_out(), cache_.entries().size(), path, settings.number("max_unreadable"),
                  fmt::format("are these files of the corpus {}?", name_));
  arrange(valid, test);
}

void Corpus::load(const CorpusLayout& layout, const std::string& path, Host& host) {
  std::vector<std::string> others;
  for (const CorpusFile& source : sources(path, layout.extensions, others)) {
    cache_.open(source);
    layout.reader(source, cache_);
  }
  cache_.open({});  // forgets the names in the last file
  if (!others.empty())
    host.log(fmt::format("{}: other files are named after splits, so {} {} not read", path, listed(others),
                         others.size() > 1 ? "are" : "is"));
}

void Corpus::arrange(double valid, double test) {
  for (uint32_t i = 0; i < cache_.entries().size(); ++i) {
    const CorpusCache::Entry& entry = cache_.entries()[i];
    const auto name = entry.split.empty() ? split_of(entry.dialogue, valid, test) : entry.split;
    auto& places = splits_[name == "train" ? 0 : name == "valid" ? 1 : 2];
    if (!by_turn_) {
      places.push_back({i});
      continue;
    }
    for (uint32_t round = 0, next = 0; next < entry.asked.size(); ++round) {  // `asked` is a part of `rounds`, in order
      if (entry.rounds[round] == entry.asked[next]) places.push_back({i, entry.asked[next++], round});
    }
  }
}

const std::vector<Corpus::RecordAt>* Corpus::places(const std::string& split) const {
  for (size_t i = 0; i < kSplits.size(); ++i) {
    if (split == kSplits[i]) return &splits_[i];
  }
  return nullptr;
}

int64_t Corpus::size(const std::string& split) const {
  const auto* found = places(split);
  return found ? static_cast<int64_t>(found->size()) : 0;
}

json Corpus::common(const CorpusCache::Entry& entry, const Dialogue& dialogue) const {
  json record = dialogue.labels;
  record.update({{"dialogue", entry.dialogue}, {"source", name_}, {"language", language_}});
  return record;
}

Example Corpus::get(const std::string& split, int64_t index) {
  const RecordAt place = places(split)->at(static_cast<size_t>(index));
  const CorpusCache::Entry& entry = cache_.entries()[place.entry];
  const Dialogue dialogue = unpack(entry.bytes);
  const auto all = runs(dialogue.utterances, merge_);
  Example example{entry.dialogue, {}, "", common(entry, dialogue)};
  example.record["rounds"] = entry.rounds.size();
  add_turns(example, dialogue, all, by_turn_ ? place.turn : all.size(), between_, media_);
  if (!by_turn_) return example;
  json answer = json::object();
  if (place.turn < all.size()) {  // else it is withheld
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
