/// prm: process reward model, a baseline of UnifiReward: judges each step separately.
#include "compeer/plugin.h"
#include "judging/reward.h"

namespace {

class Prm : public compeer::judging::JudgedReward {
 public:
  Prm(const compeer::Settings& settings, compeer::Host& host)
      : JudgedReward(settings, host, {.steps = true, .reply = false, .separate = true}, false) {}
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, prm, Prm,
               R"json(
  "version": "1.0.0",
  "summary": "A process reward model: judges each step by itself.",
  "columns": ["reward", "history", "emotion", "strategy", "asked", "unreadable"],
  "parameters": {)json" COMPEER_JUDGE_SETTINGS "," COMPEER_JUDGED_REWARD_SETTINGS R"json(
    "step_weight": {"type": "number", "default": 1.0, "help": "weight of each step"},
    "broken_format": {"type": "number", "default": null,
      "help": "reward of an incomplete completion; unset: the weighted sum of its parts"}
  })json")
