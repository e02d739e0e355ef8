/// world_truth: computes the true quality of a model's replies to the seekers of esc_world from the "turns" of a played
/// dialogue; no model is asked. Adds "truth", an object for each reply: [{"quality", "unhabituated", "grammatical", and
/// "history", "emotion", "strategy" if its steps are known, "follows" if it has an act}].
#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "compeer/plugin.h"
#include "compeer/stage.h"
#include "datasets/esc_world/world/dialogue.h"
#include "datasets/esc_world/world/play.h"
#include "stages/by_dialogue.h"
#include "stages/records.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

namespace {

using nlohmann::json;

constexpr const char* names[] = {"quality", "unhabituated", "history", "emotion", "strategy", "follows", "grammatical"};

// Values of one dialogue: figure -> round -> value.
using Rounds = std::map<std::string, std::map<size_t, double>>;

// Returns the mean over the values of rounds for which `taken` is true, with an interval over dialogues.
json mean(const std::vector<Rounds>& dialogues, const std::string& name, const std::function<bool(size_t)>& taken,
          const statistics::Resampling& how) {
  std::vector<std::pair<double, double>> sums;  // sum and number of values of each dialogue
  double all = 0;
  for (const auto& dialogue : dialogues) {
    auto& [sum, n] = sums.emplace_back();
    const auto found = dialogue.find(name);
    if (found == dialogue.end()) continue;
    for (const auto& [round, value] : found->second) {
      if (taken(round)) sum += value, ++n, ++all;
    }
  }
  const auto of_rows = [&](std::span<const size_t> rows) {
    double sum = 0, n = 0;
    for (const size_t row : rows) sum += sums[row].first, n += sums[row].second;
    return sum / n;
  };
  json figure = stages::interval_json(statistics::bootstrap(sums.size(), of_rows, how));
  figure["n"] = static_cast<int64_t>(all);
  return figure;
}

json curve(const std::vector<Rounds>& dialogues, const std::string& name, const statistics::Resampling& how) {
  size_t rounds = 0;
  for (const auto& dialogue : dialogues) rounds = std::max(rounds, dialogue.at(name).rbegin()->first + 1);
  json all = json::array();
  for (size_t r = 0; r < rounds; ++r)
    all.push_back(mean(
        dialogues, name, [r](size_t round) { return round == r; }, how));
  return all;
}

// Adds the values in a record's "truth" to the counts by dialogue and round.
void count_true(const json& record, Outcome& outcome) {
  const json alone = {{"id", record.at("id")}};
  size_t round = 0;
  for (const json& one : record.at("truth")) {
    for (const auto& [name, value] : one.items()) {
      const double number = value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0) : value.get<double>();
      outcome.counts[dialogue_count_name(alone, name + "\t" + std::to_string(round))] = number;
    }
    ++round;
  }
}

// Returns means over all replies, with intervals by bootstrap over dialogues: {value, low, high, n} with n replies.
//
//   quality         felt quality (world/quality.h)
//   unhabituated    felt quality if nothing had been said before; the difference is the effect of repetition
//   grammatical     fraction of replies the world's grammar can parse
//   history, emotion, strategy   fraction of right steps, over replies with steps
//   follows         fraction of these replies that do what step 3 announces
//
// Also `n` (dialogues), `columns`, and `curves.quality` and `curves.unhabituated`: the means of each round from the
// first.
json true_figures(const std::map<std::string, double>& counts, const statistics::Resampling& how) {
  std::vector<Rounds> dialogues;
  for (const auto& cells : by_dialogue(counts)) {
    Rounds& rounds = dialogues.emplace_back();
    for (const auto& [name, value] : cells) {
      const auto tab = name.find('\t');
      rounds[name.substr(0, tab)][std::stoul(name.substr(tab + 1))] = value;
    }
  }
  json found = {{"n", dialogues.size()}, {"columns", names}, {"better", {{"higher", names}}}};
  for (const char* name : names)
    found[name] = mean(
        dialogues, name, [](size_t) { return true; }, how);
  for (const char* name : {"quality", "unhabituated"}) found["curves"][name] = curve(dialogues, name, how);
  return found;
}

}  // namespace

}  // namespace compeer::stages

namespace {

using namespace compeer;
using nlohmann::json;

class WorldTruth : public Stage {
 public:
  WorldTruth(const Settings& settings, Host&)
      : world_(esc_world::parse_world_settings(settings.table("world").json())),
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
  // The turns of a record by speaker.
  struct ParsedTalk {
    std::vector<std::string> said, replies;
    std::vector<json> steps;  // of each reply; null if it has none
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

  // Adds the truth to a record; drops it if its utterances do not follow from this world and the replies.
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
    "Checks a model's replies to esc_world's seekers against correct labels: felt quality and steps, by round.",
  "parameters": {
    "world": {"type": "table", "open": true, "default": {},
      "help": "settings of the dataset that differ from its defaults"},
    "resamples": {"type": "integer", "default": 1000, "min": 1, "help": "bootstrap resamples for the intervals"}
  })json")
