#pragma once
#include <string>
#include <vector>

#include "compeer/host.h"
#include "judging/judge.h"

/// The setting of a second judge: part of the descriptor's "parameters".
#define COMPEER_OUTCOME_MODEL_SETTINGS                            \
  R"json("outcome_model": {"type": "path", "default": null,)json" \
  R"json("help": "the folder of a judge of replies, who is asked apart; model is then one of steps"},)json"

namespace compeer::judging {

/// One judge of steps and reply (UnifiReward), or with `outcome_model` one of the steps and one of the reply, who know
/// nothing of each other (PRM and ORM).
class Panel {
 public:
  /// `scope`: what the first is asked about, if there is no second.
  Panel(const Settings& settings, Host& host, Scope scope, Hearing hearing);

  /// As `Judge::judge`.
  std::vector<Opinion> judge(const std::vector<Turn>& history, const InterpretedReply& reference,
                             const std::vector<JudgeInput>& cases, const StepTexts& reading = {}) const;

  /// The folders of the judges.
  const std::vector<std::string>& models() const { return models_; }

 private:
  std::vector<Judge> judges_;
  std::vector<std::string> models_;
};

}  // namespace compeer::judging
