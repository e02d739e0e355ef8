// Scores whether a completion is in the format: three reasoning steps, once each and in order, then a reply
// (empathy/format.h). A completion cut off at the length limit is not.
//
//   complete  reward of a completion in the format
//   broken    reward of any other. Keep it below the minimum of the other rewards; otherwise breaking the format
//             pays for a completion that expects a bad score
//
// Columns: format (the reward), complete (1 or 0), steps (number of steps found, even if malformed).

#include "empathy/format.h"
#include "compeer/plugin.h"
#include "compeer/reward.h"

namespace {

using namespace compeer;

class FormatReward : public Reward {
 public:
  explicit FormatReward(const Settings& settings)
      : complete_(settings.number("complete")), broken_(settings.number("broken")) {}

  Scores score(const Group& group) override {
    Scores scores;
    for (const auto& completion : group.completions) {
      const bool complete = completion.finished && empathy::parse(completion.text);
      const auto steps = empathy::steps_of(completion.text);
      scores.add({{"format", complete ? complete_ : broken_},
                  {"complete", complete},
                  {"steps", steps.history.has_value() + steps.emotion.has_value() + steps.strategy.has_value()}});
    }
    return scores;
  }

 private:
  double complete_, broken_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, format, FormatReward, R"json(
  "version": "1.0.0",
  "summary": "Rewards completions with three reasoning steps in order, then a reply.",
  "columns": ["format", "complete", "steps"],
  "parameters": {
    "complete": {"type": "number", "default": 1.0, "help": "reward of a completion in the format"},
    "broken": {"type": "number", "default": -1.0, "help": "reward of any other completion, also of one that is cut off"}
  })json")
