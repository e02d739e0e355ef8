#pragma once
#include <string>
#include <vector>

#include "compeer/host.h"
#include "compeer/reward.h"
#include "judging/panel.h"

/// Settings of rewards given by a judge, except those of its form (COMPEER_JUDGE_SETTINGS).
#define COMPEER_JUDGED_REWARD_SETTINGS                                                                               \
  COMPEER_PANEL_SETTINGS                                                                                             \
  ","                                                                                                                \
  R"json("reader": {"type": "path", "default": null,)json"                                                           \
  R"json("help": "for a judge trained with reads = true: folder of the model that the stage read used"},)json"       \
  R"json("reads_replies": {"type": "boolean", "default": false,)json"                                                \
  R"json("help": "for a judge trained with reads_replies = true: the reader also describes the replies"},)json"      \
  R"json("accuracy": {"type": "path", "default": null, "run_folder": true,)json"                                     \
  R"json("help": "folder of a run whose stage reward_accuracy measured this judge; see min_recall"},)json"           \
  R"json("min_recall": {"type": "number", "default": 0.5, "min": 0, "max": 1,)json"                                  \
  R"json("help": "with accuracy: refuse a judge whose recall of wrong steps is lower, for any kind; 0: none"},)json" \
  R"json("max_unreadable": {"type": "number", "default": 0.1, "min": 0, "max": 1,)json"                              \
  R"json("help": "maximum share of the judge's answers that can't be parsed, over 10 steps; 1: no limit"},)json"

namespace compeer::judging {

/// Base of the rewards unifireward, prm and orm: a weighted sum of a judge's verdicts. A missing part counts -1 and is
/// not asked about. An unreadable answer counts 0; with a chat model as judge, the completion then has no_opinion. With
/// `contradictory` = "left_out", a complete completion also has no_opinion if its steps are all right but its reply is
/// worse than the reference, or its reply is good but a step is wrong.
class JudgedReward : public Reward {
 public:
  /// `format`: adds the column `format`, 1 for a complete completion and -1 for others, to the sum.
  JudgedReward(const Settings& settings, Host& host, Scope scope, bool format);

  std::vector<Scores> score_all(std::span<const Group> groups) override;
  bool abstains() const override { return abstain_on_contradiction_ || judges_.is_remote(); }
  bool is_async() const override { return judges_.is_async() && !reader_; }

 private:
  void add_readings(JudgedGroup& group) const;
  bool all_answered(const JudgeInput& one, const Verdicts& opinion) const;
  Scores::Row row(const Completion& completion, const JudgeInput& one, const Verdicts& opinion) const;

  Scope scope_;
  LanguageModel* reader_ = nullptr;
  bool reads_replies_;
  bool format_;
  double step_weight_ = 0, reply_weight_ = 0, format_weight_ = 0;
  std::optional<double> broken_format_;
  bool abstain_on_contradiction_;  // no_opinion if the verdicts on steps and reply contradict each other
  JudgePanel judges_;
};

}  // namespace compeer::judging
