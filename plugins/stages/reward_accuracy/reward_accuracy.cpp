/// reward_accuracy: a judge, or one of steps and one of replies, answers what annotators answered, and is measured by
/// that: Table 1. Records go on with its answers as "judged".
#include <map>
#include <memory>

#include "compeer/plugin.h"
#include "datasets/cer/records.h"
#include "judging/judge.h"
#include "judging/reading.h"
#include "judging/weights.h"
#include "stages/records.h"
#include "stages/reward_accuracy/accuracy.h"

namespace {

using namespace compeer;
using nlohmann::json;

class RewardAccuracy : public Stage {
 public:
  RewardAccuracy(const Settings& settings, Host& host)
      : form_(settings),
        reads_(settings.flag("reads")),
        resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95} {
    const auto whole = [&](const char* key, judging::Scope scope) {
      const auto folder = settings.text(key);
      judges_.emplace_back(host.speaker(folder), form_, scope, judging::Hearing{.swap = settings.flag("swap")});
      weights_.push_back(judging::weights_of(folder));
    };
    const bool apart = settings.has("outcome_model");
    whole("model", {.steps = true, .reply = !apart, .apart = apart});
    if (apart) whole("outcome_model", {.steps = false, .reply = true, .apart = true});
  }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes;
    for (const json& record : records) outcomes.push_back(measured(record));
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    auto findings = stages::accuracies(counts, resampling_);
    findings["judges"] = weights_;
    return findings;
  }

  std::string ingredients() const override { return json(weights_).dump(); }

 private:
  Outcome measured(const json& record) {
    const auto known = cer::read(record);
    if (!known.labelled) return stages::dropped("no labels");
    const auto& c = known.candidate;
    const judging::Case one{{c.history, c.emotion, c.strategy}, c.reply};
    judging::Opinion opinion;
    const auto reading = reads_ ? judging::reading_in(record) : judging::Steps{};
    for (const auto& judge : judges_) {
      const auto heard = judge.judge(known.history, known.reference, {one}, reading)[0];
      for (size_t step = 0; step < 3; ++step) {
        if (heard.steps[step]) opinion.steps[step] = heard.steps[step];
      }
      if (heard.preference) opinion.preference = heard.preference;
    }
    return counted(record, known, opinion);
  }

  static Outcome counted(json record, const cer::Record& known, const judging::Opinion& opinion) {
    static const empathy::Preferences words;
    const auto verdict = [](bool right) { return std::string(right ? "True" : "False"); };
    Outcome outcome;
    json& judged = record["judged"] = {{"steps", json::array()}};
    for (size_t step = 0; step < 3; ++step) {
      const auto answer = opinion.steps[step] ? verdict(*opinion.steps[step] > 0) : "unreadable";
      judged["steps"].push_back(answer);
      outcome.counts[stages::cell(stages::questions()[step], verdict(known.steps[step]), answer)] = 1;
    }
    const auto answer = opinion.preference ? words.print(*opinion.preference) : "unreadable";
    judged["preference"] = answer;
    outcome.counts[stages::cell(stages::questions()[3], words.print(known.preference), answer)] = 1;
    outcome.records.push_back(std::move(record));
    return outcome;
  }

  const judging::Form form_;
  const bool reads_;
  const statistics::Resampling resampling_;
  std::vector<judging::Judge> judges_;
  std::vector<std::string> weights_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, reward_accuracy, RewardAccuracy,
               R"json(
  "version": "1.0.0",
  "summary": "How well a judge agrees with annotators: weighted F1, recall of False, accuracy, confusion (Table 1).",
  "parameters": {
    "model": {"type": "path", "help": "the judge's folder; with outcome_model, of the judge of steps"},
    "outcome_model": {"type": "path", "default": null, "help": "the folder of a judge of replies, who is asked apart"},
    "swap": {"type": "boolean", "default": false, "help": "show the completion first, the reference second"},
    "resamples": {"type": "integer", "default": 1000, "min": 0, "help": "of the bootstrap; 0: no intervals"},)json" COMPEER_READS_SETTING
                   COMPEER_JUDGE_SETTINGS
               R"json(
  })json")
