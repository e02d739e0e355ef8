/// reward_accuracy: compares a judge, or one of steps and one of replies, with annotators' labels (Table 1). Adds the
/// judge's answers to records as "judged"; drops records without labels.
#include "compeer/plugin.h"
#include "stages/judges.h"
#include "stages/records.h"
#include "stages/reward_accuracy/accuracy.h"

namespace {

using namespace compeer;
using nlohmann::json;

constexpr double unreadable = 0;  // value of an unreadable verdict in a reward

class RewardAccuracy : public Stage {
 public:
  RewardAccuracy(const Settings& settings, Host& host)
      : judges_(settings, host), resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95} {}

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes(records.size(), stages::dropped("no labels"));
    std::vector<cer::Record> labelled;
    std::vector<size_t> places;
    for (size_t i = 0; i < records.size(); ++i) {
      auto known = stages::parse_judged_record(records[i]);
      if (!known.labelled) continue;
      labelled.push_back(std::move(known));
      places.push_back(i);
    }
    const auto opinions = judges_.opinions(labelled);
    for (size_t k = 0; k < places.size(); ++k) {
      outcomes[places[k]] = counted(records[places[k]], labelled[k], opinions[k]);
      judges_.count(opinions[k], outcomes[places[k]]);
    }
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    auto findings = stages::accuracies(counts, resampling_);
    findings["judges"] = judges_.fingerprints();
    findings["better"]["higher"] = {"weighted_f1", "accuracy", "false_recall", "better_or_not", "ranked_within_rounds"};
    return findings;
  }

  std::string cache_key() const override { return json(judges_.fingerprints()).dump(); }

 private:
  static Outcome counted(json record, const cer::Record& known, const judging::Verdicts& opinion) {
    static const empathy::Preferences words;
    static const empathy::StepVerdicts verdicts;
    Outcome outcome;
    json& judged = record["judged"] = {{"steps", json::array()}};
    for (size_t step = 0; step < 3; ++step) {
      const auto answer = opinion.steps[step] ? verdicts.print(*opinion.steps[step] > 0) : "unreadable";
      judged["steps"].push_back(answer);
      const auto& topic = stages::topics()[step];
      stages::count(record, stages::cell(topic, verdicts.print(known.steps[step]), answer), outcome);
      stages::count_ranked(record, topic.name, known.steps[step], opinion.steps[step].value_or(unreadable), outcome);
    }
    const auto answer = opinion.preference ? words.print(*opinion.preference) : "unreadable";
    judged["preference"] = answer;
    const auto& topic = stages::topics()[3];
    stages::count(record, stages::cell(topic, words.print(known.preference), answer), outcome);
    stages::count_ranked(record, topic.name, empathy::as_good(known.preference), opinion.reply.value_or(unreadable),
                         outcome);
    outcome.records.push_back(std::move(record));
    return outcome;
  }

  const stages::Judges judges_;
  const statistics::Resampling resampling_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, reward_accuracy, RewardAccuracy,
               R"json(
  "version": "1.0.0",
  "summary":
    "Agreement of a judge with annotators: weighted F1, recall of False, accuracy, confusion (Table 1), ranking.",
  "parameters": {)json" COMPEER_JUDGES_SETTINGS
               R"json(
  })json")
