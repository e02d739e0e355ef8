/// sage: measures the emotion of a simulated seeker after a dialogue with the tested model (SAGE, Table 3). A profile
/// is played; a record that contains a dialogue is only scored, which needs no model. Adds "history" in the published
/// layout, and "turns".
#include "compeer/plugin.h"
#include "evaluating/sage/play.h"
#include "evaluating/sage/summary.h"
#include "stages/records.h"

namespace {

using namespace compeer;
namespace sage = evaluating::sage;
using nlohmann::json;

class Sage : public Stage {
 public:
  Sage(const Settings& settings, Host& host)
      : host_(host),
        simulator_(settings, host),
        supporter_(settings, host, "sage_supporter"),
        resampling_{.resamples = static_cast<size_t>(settings.integer("resamples"))} {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes(records.size());
    std::vector<json> profiles;
    std::vector<size_t> place;
    for (size_t i = 0; i < records.size(); ++i) {
      if (sage::is_recorded(records[i])) {
        outcomes[i] = scored(records[i]);
      } else if (const auto missing = sage::missing_in(records[i]); !missing.empty()) {
        outcomes[i] = invalid(records[i], missing, "");
      } else {
        profiles.push_back(records[i]);
        place.push_back(i);
      }
    }
    auto played = simulator_.play(profiles, supporter_);
    for (size_t k = 0; k < played.size(); ++k) outcomes[place[k]] = told(played[k]);
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    json all = sage::summary(counts, resampling_);
    all["limit"] = simulator_.rules().rounds;
    if (supporter_) all["supporter"] = supporter_.model();
    return all;
  }

  std::string cache_key() const override { return simulator_.prompts() + supporter_.fingerprint(); }

 private:
  Outcome scored(const json& record) const {
    const auto read = sage::recorded(record, simulator_.rules());
    if (!read.refusal.empty()) return invalid(record, read.refusal, read.detail);
    Outcome outcome = stages::unchanged();
    sage::count(record, read.trajectory, outcome);
    return outcome;
  }

  // Returns the outcome of a played dialogue.
  Outcome told(sage::Played& played) const {
    Outcome outcome = played.refusal.empty() ? stages::kept(played.record) : invalid(played.record, played.refusal, "");
    if (played.refusal.empty()) sage::count(played.record, played.trajectory, outcome);
    if (played.refused > 0) outcome.counts["answers that could not be read"] = static_cast<double>(played.refused);
    if (played.silent > 0) outcome.counts["answers without a reply"] = static_cast<double>(played.silent);
    return outcome;
  }

  Outcome invalid(const json& record, const std::string& reason, const std::string& detail) const {
    Outcome outcome = stages::dropped(reason);
    sage::count_invalid(reason, outcome);
    host_.log("record '" + record.at("id").get<std::string>() + "' can't be scored: " + reason +
              (detail.empty() ? "" : ": " + detail));
    return outcome;
  }

  Host& host_;
  const sage::Simulator simulator_;
  const evaluating::Supporter supporter_;
  const statistics::Resampling resampling_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, sage, Sage,
               R"json(
  "version": "1.0.0",
  "summary": "SAGE: emotion of a simulated seeker after a dialogue with a model (Table 3).",
  "parameters": {
    "simulator": {"type": "plugin", "kind": "chat", "default": null,
      "help": "chat model that plays the seeker; optional if all dialogues are recorded"},)json" COMPEER_SUPPORTER_SETTINGS
                   COMPEER_SUPPORTER_SYSTEM_SETTING
               R"json(
    "rounds": {"type": "integer", "default": 10, "min": 1, "max": 1000,
      "help": "maximum utterances of the seeker: 10 in the published code and dialogues, 20 in the paper"},
    "start": {"type": "integer", "default": 40, "min": 10, "max": 99,
      "help": "emotion points of the seeker at the start"},
    "goodbyes": {"type": "list", "items": "string", "default": ["再见", "拜拜"],
      "help": "texts that end the dialogue if the seeker's utterance contains one"},
    "prompts": {"type": "path", "default": null,
      "help": "folder with en/sage_planning.txt, en/sage_reply.txt; unset: the plugin's own"},
    "temperature": {"type": "number", "default": 0.0, "min": 0,
      "help": "sampling temperature of the simulator; 0: greedy"},
    "max_tokens": {"type": "integer", "default": 1024, "min": 1, "help": "maximum tokens per answer of the simulator"},
    "tries": {"type": "integer", "default": 3, "min": 1,
      "help": "maximum attempts per question until the simulator's answer is readable"},
    "resamples": {"type": "integer", "default": 1000, "min": 0,
      "help": "bootstrap resamples for the intervals; 0: no intervals"}
  })json")
