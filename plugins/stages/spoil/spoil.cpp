/// spoil: adds unlabelled records with completions made worse in known ways: parts taken from other dialogues, and
/// replies with words removed, repeated or exchanged. Writers seldom make such mistakes, but a policy soon does if its
/// judge has never seen them.
#include <array>

#include "compeer/plugin.h"
#include "stages/records.h"
#include "stages/spoil/scramble.h"

namespace {

using namespace compeer;
using nlohmann::json;

constexpr std::array<const char*, 4> parts = {"history", "emotion", "strategy", "reply"};

// Indices of the random numbers of a record.
enum : uint32_t { chosen, scrambled, borrowed, from = borrowed + parts.size(), word = from + parts.size() };

class Spoil : public Stage {
 public:
  Spoil(const Settings& settings, Host& host)
      : host_(host),
        share_(settings.number("share")),
        borrow_(settings.number("borrow")),
        scramble_(settings.number("scramble")) {}

  bool needs_summaries() const override { return true; }
  std::string summary(const json& record) const override { return record.at("candidates").at(0).dump(); }
  void add_summary(const std::string& candidate) override { candidates_.push_back(json::parse(candidate)); }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes;
    for (const json& record : records) {
      if (record.contains("rewritten") || draw(record, chosen) >= share_) {
        outcomes.push_back(stages::unchanged());
        continue;
      }
      Outcome& outcome = outcomes.emplace_back(stages::kept(record));
      outcome.records.push_back(spoilt(record));
      for (const auto& what : outcome.records[1]["provenance"]["candidates"]["spoilt"])
        outcome.counts["spoilt: " + what.get<std::string>()] = 1;
    }
    return outcomes;
  }

 private:
  json spoilt(const json& original) const {
    json record = stages::copy_for_candidate(original, "spoilt");
    json& candidate = record["candidates"][0];
    json changes = json::array();
    for (uint32_t part = 0; part < parts.size(); ++part) {
      if (draw(record, borrowed + part) >= borrow_) continue;
      const auto other = static_cast<size_t>(draw(record, from + part) * static_cast<double>(candidates_.size()));
      candidate[parts[part]] = candidates_[other].at(parts[part]);
      changes.push_back(parts[part]);
    }
    if (draw(record, scrambled) < scramble_) {
      candidate["reply"] =
          stages::scramble(candidate.at("reply"), [&](uint32_t number) { return draw(record, word + number); });
      changes.push_back("words of the reply");
    }
    record["provenance"]["candidates"]["spoilt"] = std::move(changes);
    return record;
  }

  double draw(const json& record, uint32_t what) const {
    const auto [a, b] = stages::random_address(record);
    return host_.random(a, b, what);
  }

  Host& host_;
  const double share_, borrow_, scramble_;
  std::vector<json> candidates_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, spoil, Spoil, R"json(
  "version": "1.0.0",
  "summary": "Adds records without labels whose completions are made worse in known ways.",
  "parameters": {
    "share": {"type": "number", "default": 0.5, "min": 0, "max": 1,
      "help": "share of records that get a worse copy"},
    "borrow": {"type": "number", "default": 0.4, "min": 0, "max": 1,
      "help": "probability of replacing a step or the reply by that of another dialogue"},
    "scramble": {"type": "number", "default": 0.4, "min": 0, "max": 1,
      "help": "probability that words of the reply are dropped, doubled or exchanged"}
  })json")
