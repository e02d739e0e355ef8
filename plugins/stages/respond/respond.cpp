/// respond: adds unlabelled records with completions of a trained supporter for some of the rounds. A judge trained on
/// a policy's mistakes is harder to exploit.
#include <algorithm>
#include <map>

#include "compeer/plugin.h"
#include "judging/reading.h"
#include "judging/trained_judge.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;

// Records of one round share their history; different draws give them different answers.
constexpr uint32_t draws = 8;

class Respond : public Stage {
 public:
  Respond(const Settings& settings, Host& host)
      : host_(host),
        folder_(settings.text("model")),
        model_(host.language_model(folder_)),
        weights_(judging::weights_of(folder_)),
        share_(settings.number("share")),
        temperature_(settings.number("temperature")),
        max_tokens_(settings.integer("max_tokens")) {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes;
    std::map<uint32_t, std::vector<size_t>> chosen;
    for (size_t i = 0; i < records.size(); ++i) {
      outcomes.push_back(stages::kept(records[i]));
      const auto [a, b] = stages::random_address(records[i]);
      if (!records[i].contains("rewritten") && host_.random(a, b, 0) < share_) chosen[a % draws].push_back(i);
    }
    for (const auto& [draw, these] : chosen) answer(records, draw, these, outcomes);
    return outcomes;
  }

  std::string cache_key() const override { return weights_; }

 private:
  void answer(const std::vector<json>& records, uint32_t draw, const std::vector<size_t>& these,
              std::vector<Outcome>& outcomes) const {
    std::vector<std::vector<Turn>> histories;
    for (const size_t i : these) histories.push_back(stages::turns_in(records[i].at("history")));
    const auto said = judging::answers(model_, histories, {temperature_, max_tokens_, draw});
    for (size_t k = 0; k < these.size(); ++k) {
      Outcome& outcome = outcomes[these[k]];
      const auto parsed = empathy::parse(said[k].text);
      const bool whole = parsed && said[k].finished;
      outcome.counts[whole ? "answers" : parsed ? "cut off" : "not in the format: " + parsed.refusal] = 1;
      if (whole) outcome.records.push_back(record_of(records[these[k]], *parsed.value));
    }
  }

  json record_of(const json& original, const empathy::Structured& written) const {
    json record = stages::copy_for_candidate(original, "policy");
    record["candidates"] = json::array({stages::candidate_of(written, folder_)});
    record["provenance"]["candidates"] = {{"model", folder_}, {"weights", weights_}, {"temperature", temperature_}};
    return record;
  }

  Host& host_;
  const std::string folder_;
  LanguageModel& model_;
  const std::string weights_;
  const double share_, temperature_;
  const int64_t max_tokens_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, respond, Respond, R"json(
  "version": "1.0.0",
  "summary": "A model answers a share of the rounds, which adds records without labels.",
  "parameters": {
    "model": {"type": "path", "help": "a model's folder, such as a supervised run's checkpoints/last"},
    "share": {"type": "number", "default": 0.5, "min": 0, "max": 1, "help": "share of records whose round it answers"},
    "temperature": {"type": "number", "default": 1.0, "min": 0,
      "help": "sampling temperature; 0: greedy decoding; above 1: more mistakes"},
    "max_tokens": {"type": "integer", "default": 512, "min": 1, "help": "maximum tokens per answer"}
  })json")
