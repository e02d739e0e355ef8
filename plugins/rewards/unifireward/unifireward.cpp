/// unifireward: one judge answers four questions in one conversation: about the three steps, then about the reply
/// compared with the reference, each after the earlier verdicts. Reward: the weighted sum of steps, reply and format,
/// each 1 or -1. With `outcome_model`, two independent judges (POR).
#include "compeer/plugin.h"
#include "judging/reward.h"

namespace {

class UnifiReward : public compeer::judging::JudgedReward {
 public:
  UnifiReward(const compeer::Settings& settings, compeer::Host& host)
      : JudgedReward(settings, host, {.steps = true, .reply = true}, true) {}
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, unifireward, UnifiReward,
               R"json(
  "version": "1.0.0",
  "summary": "UnifiReward: a generative judge of the steps and the reply, in one conversation.",
  "columns": ["reward", "history", "emotion", "strategy", "reply", "format", "asked", "unreadable"],
  "parameters": {)json" COMPEER_JUDGE_SETTINGS "," COMPEER_JUDGED_REWARD_SETTINGS COMPEER_OUTCOME_MODEL_SETTINGS R"json(
    "contradictory": {"type": "string", "default": "kept", "choices": ["kept", "left_out"],
      "help":
        "completions with correct steps and a worse reply, or the reverse; left_out: no training (not in the paper)"},
    "step_weight": {"type": "number", "default": 1.0, "help": "weight of each step"},
    "reply_weight": {"type": "number", "default": 1.0, "help": "weight of the reply"},
    "format_weight": {"type": "number", "default": 1.0, "help": "weight of the format"},
    "broken_format": {"type": "number", "default": null,
      "help": "reward of an incomplete completion; unset: the weighted sum of its parts"}
  })json")
