/// esc_world_truth: scores completions of esc_world by their true quality (docs/esc_world.md, "The truth reward").
#include "compeer/plugin.h"
#include "compeer/reward.h"
#include "rewards/esc_world_truth/sum.h"

namespace {

using compeer::esc_world::judge;
using compeer::esc_world::truth_of;
using compeer::esc_world::Verdict;

class EscWorldTruth : public compeer::Reward {
 public:
  explicit EscWorldTruth(const compeer::Settings& settings) {
    weights_.step = settings.number("step_weight");
    weights_.reply = settings.number("reply_weight");
    weights_.format = settings.number("format_weight");
    weights_.grade = grade_of(settings.text("reply"));
    weights_.tie = settings.number("tie");
    weights_.demands_format = settings.flag("demands_format");
    if (settings.has("broken_format")) weights_.broken_format = settings.number("broken_format");
  }

  bool abstains() const override { return true; }  // the column `follows` is empty for a reply without an act

  compeer::Scores score(const compeer::Group& group) override {
    const auto truth = truth_of(group.example.record);
    const double reference = judge(truth, group.example.answer).quality;
    compeer::Scores scores;
    for (const auto& completion : group.completions) {
      Verdict verdict = judge(truth, completion.text);
      verdict.format = verdict.format && completion.finished;  // a completion cut off is not complete
      scores.add(row(verdict, reference));
    }
    return scores;
  }

 private:
  using Grade = compeer::esc_world::TruthWeights::Grade;
  static Grade grade_of(const std::string& reply) {
    return reply == "felt" ? Grade::felt : reply == "preference" ? Grade::preference : Grade::quality;
  }

  compeer::Scores::Row row(const Verdict& verdict, double reference) const {
    const auto sign = [](bool yes) { return yes ? 1.0 : -1.0; };
    return {{"reward", compeer::esc_world::sum(verdict, reference, weights_)},
            {"history", sign(verdict.history)},
            {"emotion", sign(verdict.emotion)},
            {"strategy", sign(verdict.strategy)},
            {"quality", verdict.quality},
            {"format", sign(verdict.format)},
            {"grammatical", verdict.grammatical},
            {"follows", verdict.follows ? *verdict.follows : compeer::no_opinion}};
  }

  compeer::esc_world::TruthWeights weights_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, esc_world_truth, EscWorldTruth, R"json(
  "version": "1.0.0",
  "summary": "Scores completions of esc_world by its correct labels, in the form of UnifiReward.",
  "columns": ["reward", "history", "emotion", "strategy", "quality", "format", "grammatical", "follows"],
  "parameters": {
    "step_weight": {"type": "number", "default": 1.0, "min": 0, "help": "weight of each step, +1 or -1"},
    "reply_weight": {"type": "number", "default": 1.0, "min": 0, "help": "weight of the reply, from -1 to 1"},
    "format_weight": {"type": "number", "default": 1.0, "min": 0, "help": "weight of the format, +1 or -1"},
    "reply": {"type": "string", "default": "graded", "choices": ["graded", "felt", "preference"],
      "help": "graded: 2 quality - 1; felt: 2 felt quality - 1; preference: 1 if as good as the reference, or -1"},
    "tie": {"type": "number", "default": 0.07, "min": 0, "max": 1,
      "help": "preference: maximum quality below the reference's for a reply that counts as equally good"},
    "demands_format": {"type": "boolean", "default": true,
      "help": "false: also score the parts of a completion that is not in the format"},
    "broken_format": {"type": "number", "default": null,
      "help": "reward of a completion that is not in the format; unset: minus the sum of all weights"}
  })json")
