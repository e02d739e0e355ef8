/// orm: outcome reward model, a baseline of UnifiReward: judges only the reply, against the reference.
#include "compeer/plugin.h"
#include "judging/reward.h"

namespace {

class Orm : public compeer::judging::JudgedReward {
 public:
  Orm(const compeer::Settings& settings, compeer::Host& host)
      : JudgedReward(settings, host, {.steps = false, .reply = true, .separate = true}, false) {}
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, orm, Orm,
               R"json(
  "version": "1.0.0",
  "summary": "An outcome reward model: judges the reply by itself.",
  "columns": ["reward", "reply", "asked", "unreadable"],
  "parameters": {)json" COMPEER_JUDGE_SETTINGS "," COMPEER_JUDGED_REWARD_SETTINGS R"json(
    "reply_weight": {"type": "number", "default": 1.0, "help": "weight of the reply"},
    "broken_format": {"type": "number", "default": null,
      "help": "reward of an incomplete completion; unset: the weighted sum of its parts"}
  })json")
