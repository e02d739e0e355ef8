/// world_truth: what is true of a model's replies to the seekers of esc_world, round by round. Reads the "turns" that
/// an evaluation has played; no model is asked. Records go on with "truth": [{"quality", "unhabituated", "grammatical",
/// and "history", "emotion", "strategy" of a reply whose steps are known, "follows" of one with an act}], one for each.
#include "compeer/plugin.h"
#include "datasets/esc_world/world/play.h"
#include "datasets/esc_world/world/settings.h"
#include "stages/records.h"
#include "stages/world_truth/figures.h"

namespace {

using namespace compeer;
using nlohmann::json;

class WorldTruth : public Stage {
 public:
  WorldTruth(const Settings& settings, Host&)
      : world_(esc_world::world_of(settings.table("world").json())),
        resampling_{.resamples = static_cast<size_t>(settings.integer("resamples"))} {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes;
    for (const json& record : records) outcomes.push_back(told(record));
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    return stages::true_figures(counts, resampling_);
  }

 private:
  // What was said, taken apart.
  struct ParsedTalk {
    std::vector<std::string> said, replies;
    std::vector<json> steps;  // of each reply, if it wrote any
    std::string refusal;
  };

  static ParsedTalk talk_of(const json& record) {
    ParsedTalk talk;
    const json turns = record.value("turns", json::array());
    for (const json& turn : turns) {
      const bool whole =
          turn.is_object() && turn.value("role", json()).is_string() && turn.value("text", json()).is_string();
      if (!whole) return {{}, {}, {}, "a turn without a role or a text"};
      const bool supporter = turn.at("role") == "assistant";
      (supporter ? talk.replies : talk.said).push_back(turn.at("text"));
      if (supporter) talk.steps.push_back(turn.value("steps", json()));
    }
    if (turns.empty())
      talk.refusal = "no dialogue";
    else if (talk.replies.empty())
      talk.refusal = "nobody answers the seeker";
    return talk;
  }

  Outcome told(const json& record) const {
    const auto place = esc_world::named(record.at("id").get<std::string>());
    if (!place) return stages::dropped("not of esc_world");
    const ParsedTalk talk = talk_of(record);
    if (!talk.refusal.empty()) return stages::dropped(talk.refusal);
    const auto rounds = esc_world::played(world_, place->split, place->dialogue, talk.replies);
    for (size_t i = 0; i < talk.said.size(); ++i) {
      if (i >= rounds.size() || talk.said[i] != rounds[i].utterance)
        return stages::dropped("another dialogue in this world");
    }
    Outcome outcome = stages::kept(record);
    json& truth = outcome.records[0]["truth"] = json::array();
    for (size_t i = 0; i < talk.replies.size(); ++i)
      truth.push_back(truth_of(rounds[i], talk.steps[i], talk.replies[i]));
    stages::count_true(outcome.records[0], outcome);
    return outcome;
  }

  static json truth_of(const esc_world::Round& round, const json& steps, const std::string& said) {
    const auto& [reply, keys, felt] = round.heard;
    const auto& [language, seeker, earlier, feelings] = round.truth;
    json one = {{"quality", felt},
                {"unhabituated", reply ? esc_world::felt(*reply, seeker, {}, feelings) : 0.0},
                {"grammatical", reply.has_value()}};
    if (!steps.is_object()) return one;
    std::string written;
    for (const std::string name : {"history", "emotion", "strategy"}) {
      const json step = steps.value(name, json());
      if (step.is_string()) written += "<" + name + ">" + step.get<std::string>() + "</" + name + ">";
    }
    const auto verdict = esc_world::judge(round.truth, written + "\n" + said);
    one["history"] = verdict.history;
    one["emotion"] = verdict.emotion;
    one["strategy"] = verdict.strategy;
    if (verdict.follows) one["follows"] = *verdict.follows;
    return one;
  }

  const esc_world::WorldSettings world_;
  const statistics::Resampling resampling_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, world_truth, WorldTruth, R"json(
  "version": "1.0.0",
  "summary":
    "What is true of a model's replies to the seekers of esc_world: felt quality and right steps, round by round.",
  "parameters": {
    "world": {"type": "table", "open": true, "default": {}, "help": "the dataset's settings that are not its defaults"},
    "resamples": {"type": "integer", "default": 1000, "min": 1, "help": "bootstrap: for the intervals"}
  })json")
