/// esc_world_truth: scores completions of esc_world by what is true (docs/esc_world.md, "The truth reward").
#include <ATen/Functions.h>

#include "compeer/plugin.h"
#include "compeer/reward.h"
#include "rewards/esc_world_truth/sum.h"

namespace {

using compeer::esc_world::judge;
using compeer::esc_world::truth_of;
using compeer::esc_world::Verdict;

class EscWorldTruth : public compeer::Reward {
 public:
  EscWorldTruth(const compeer::Settings& settings, compeer::Host&) {
    weights_.step = settings.number("step_weight");
    weights_.reply = settings.number("reply_weight");
    weights_.format = settings.number("format_weight");
    weights_.prefers = settings.text("reply") == "preference";
    weights_.tie = settings.number("tie");
    weights_.demands_format = settings.flag("demands_format");
    if (settings.has("broken_format")) weights_.broken_format = settings.number("broken_format");
  }

  std::vector<std::string> parts() const override {
    return {"reward", "history", "emotion", "strategy", "quality", "format", "grammatical"};
  }

  at::Tensor score(const compeer::Group& group) override {
    const auto truth = truth_of(group.example.record);
    const double reference = judge(truth, group.example.answer).quality;
    const auto rows = static_cast<int64_t>(group.completions.size());
    at::Tensor scores = at::empty({rows, static_cast<int64_t>(parts().size())}, at::kFloat);
    float* out = scores.data_ptr<float>();
    for (const compeer::Completion& completion : group.completions) {
      Verdict verdict = judge(truth, completion.text);
      verdict.format = verdict.format && completion.finished;  // cut off is not complete
      const auto sign = [](bool yes) { return yes ? 1.0f : -1.0f; };
      *out++ = static_cast<float>(compeer::esc_world::sum(verdict, reference, weights_));
      *out++ = sign(verdict.history);
      *out++ = sign(verdict.emotion);
      *out++ = sign(verdict.strategy);
      *out++ = static_cast<float>(verdict.quality);
      *out++ = sign(verdict.format);
      *out++ = verdict.grammatical ? 1.0f : 0.0f;
    }
    return scores;
  }

 private:
  compeer::esc_world::Weights weights_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, esc_world_truth, EscWorldTruth, R"json(
  "version": "1.0.0",
  "summary": "Scores completions of esc_world by what is true, in the shape of UnifiReward.",
  "parameters": {
    "step_weight": {"type": "number", "default": 1.0, "min": 0, "help": "a step counts plus or minus this"},
    "reply_weight": {"type": "number", "default": 1.0, "min": 0, "help": "the reply counts from minus to plus this"},
    "format_weight": {"type": "number", "default": 1.0, "min": 0, "help": "the format counts plus or minus this"},
    "reply": {"type": "string", "default": "graded", "choices": ["graded", "preference"],
      "help": "graded: 2 quality - 1; preference: +1 if as good as the reference or better, else -1"},
    "tie": {"type": "number", "default": 0.07, "min": 0, "max": 1,
      "help": "preference: as good as the reference if its quality is at most this much lower"},
    "demands_format": {"type": "boolean", "default": true,
      "help": "false: a completion that is not in the format is judged by what there is of it, too"},
    "broken_format": {"type": "number", "default": null,
      "help": "the whole reward of a completion that is not in the format; not set: minus the sum of all weights"}
  })json")
