/// label_choice: measures which emotion and strategy, of all that people named, a judge finds most likely. Asks whether
/// each label is right, after the right earlier steps or separately. Adds the choices to records as "judged" and the
/// judge's value of each label as "likelihoods".
#include "stages/label_choice/choices.h"

#include "base/error.h"
#include "compeer/plugin.h"
#include "empathy/labels.h"
#include "judging/panel.h"
#include "stages/human_labels/labels.h"
#include "stages/judges.h"
#include "stages/records.h"

namespace {

using namespace compeer;
using nlohmann::json;
using stages::LabelChoices;

constexpr size_t first_step = 1;  // index of emotion among the three steps

class LabelChoice : public Stage {
 public:
  LabelChoice(const Settings& settings, Host& host)
      : panel_(settings, host, {.reply = false, .separate = settings.flag("apart")}, {}),
        apart_(settings.flag("apart")),
        resampling_{static_cast<size_t>(settings.integer("resamples")), 1, 0.95} {
    if (settings.text("score_by") != "likelihood")
      throw Error("label_choice",
                  "requires likelihoods to choose the likeliest label, but score_by = \"answer\" gives none",
                  "set score_by = \"likelihood\"", Exit::spec);
  }

  bool needs_summaries() const override { return true; }
  std::string summary(const json& record) const override { return choices_.summary(record); }
  void add_summary(const std::string& summary) override { choices_.add_summary(summary); }

  std::vector<Outcome> make(const std::vector<json>& records) override {
    std::vector<Outcome> outcomes(records.size());
    std::vector<judging::JudgedGroup> groups;
    std::vector<size_t> places;
    for (size_t i = 0; i < records.size(); ++i) {
      const auto why = refusal(records[i]);
      outcomes[i] = why.empty() ? Outcome() : stages::dropped(why);
      if (!why.empty()) continue;
      places.push_back(i);
      groups.push_back(asked(stages::parse_judged_record(records[i])));
    }
    const auto opinions = panel_.judge(groups);
    for (size_t k = 0; k < places.size(); ++k) outcomes[places[k]] = chosen(records[places[k]], opinions[k]);
    return outcomes;
  }

  json findings(const std::map<std::string, double>& counts) const override {
    auto findings = choices_.findings(counts, resampling_);
    findings["judges"] = panel_.fingerprints();
    return findings;
  }

  std::string cache_key() const override { return json(panel_.fingerprints()).dump(); }

 private:
  // Only right records are used; wrong ones of the same round have the same labels.
  static std::string refusal(const json& record) {
    for (const char* step : LabelChoices::steps) {
      if (LabelChoices::people(record, step).empty()) return "no labels by people";
    }
    return stages::is_right(record) ? "" : "borrowed in part";
  }

  // Returns one case for each label of each step: the label after the right earlier steps, or alone with `separate`.
  judging::JudgedGroup asked(const cer::Record& record) const {
    judging::JudgedGroup group{record.history, {record.reference}, {}};
    const judging::StepTexts right = {record.candidate.history, record.candidate.emotion, record.candidate.strategy};
    for (size_t step = 0; step < LabelChoices::steps.size(); ++step) {
      for (const std::string& label : choices_.labels(step)) {
        judging::JudgeInput one;
        for (size_t before = 0; !apart_ && before < first_step + step; ++before) one.steps[before] = right[before];
        one.steps[first_step + step] = label;
        group.completions.push_back(std::move(one));
      }
    }
    return group;
  }

  Outcome chosen(json record, const std::vector<judging::Verdicts>& opinions) const {
    Outcome outcome;
    size_t at = 0;
    for (size_t step = 0; step < LabelChoices::steps.size(); ++step) {
      std::vector<double> likelihoods(choices_.labels(step).size());
      for (double& value : likelihoods) value = opinions[at++].steps[first_step + step].value_or(-1);
      choices_.choose(record, step, likelihoods, outcome);
    }
    outcome.records.push_back(std::move(record));
    return outcome;
  }

  judging::JudgePanel panel_;
  const bool apart_;
  const statistics::Resampling resampling_;
  LabelChoices choices_;
};

}  // namespace

COMPEER_PLUGIN(Stage, stages, label_choice, LabelChoice, R"json(
  "version": "1.0.0",
  "summary": "Compares the labels that a judge finds likeliest with people's: weighted F1, next to the majority label's.",
  "parameters": {)json" COMPEER_JUDGE_SETTINGS "," COMPEER_PANEL_SETTINGS R"json(,
    "apart": {"type": "boolean", "default": false,
      "help": "ask about a step alone, as a PRM is trained; false: after the correct earlier steps"},
    "resamples": {"type": "integer", "default": 1000, "min": 0,
      "help": "bootstrap resamples for the intervals; 0: no intervals"}
  })json")
