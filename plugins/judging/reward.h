#pragma once
#include <string>
#include <vector>

#include "compeer/host.h"
#include "compeer/reward.h"
#include "judging/panel.h"

// The common implementation of the GRPO rewards that a judge gives. A judge is a language model that decides whether
// the three reasoning steps of a completion are right and whether its reply is as good as the reference.

/// JSON text with the settings of rewards given by a judge, for the "parameters" of plugin descriptors. Excludes the
/// wording of the questions (COMPEER_JUDGE_SETTINGS).
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

/// Base class of the rewards unifireward, prm and orm: a weighted sum of a judge's verdicts, each between -1 and 1. A
/// missing part counts -1 and is not asked about. An answer that can't be parsed counts 0; with a chat model as judge,
/// the completion then has no reward (`no_opinion`). With the setting `contradictory` = "left_out", a complete
/// completion also has no reward if its steps are all right but its reply is worse than the reference, or its reply is
/// good but a step is wrong.
class JudgedReward : public Reward {
 public:
  /// `scope`: the parts of a completion that are judged. `format`: adds to the sum the column `format`, 1 for a
  /// complete completion and -1 for others. Throws Error (exit code 3: wrong settings) if the judge is not accurate
  /// enough or was trained with other questions.
  JudgedReward(const Settings& settings, Host& host, Scope scope, bool format);

  std::vector<Scores> score_all(std::span<const Group> groups) override;
  bool abstains() const override { return abstain_on_contradiction_ || judges_.is_remote(); }
  bool is_async() const override { return judges_.is_async() && !reader_; }

 private:
  // Adds the steps that the reader writes for the dialogue and, if `reads_replies_`, its readings of the replies.
  void add_readings(JudgedGroup& group) const;
  // True if `opinion` has a verdict on each judged part that the completion `one` contains.
  bool all_answered(const JudgeInput& one, const Verdicts& opinion) const;
  // Returns the score columns of one completion: "reward" (the sum), its parts, "asked" and "unreadable". `one`: the
  // parsed completion; `opinion`: the verdicts on it.
  Scores::Row row(const Completion& completion, const JudgeInput& one, const Verdicts& opinion) const;

  Scope scope_;
  // Another supporter model whose own steps are shown to the judge for comparison; null: none.
  LanguageModel* reader_ = nullptr;
  bool reads_replies_;  // whether the judge is also shown the steps that, by the reader, would have led to each reply
  bool format_;         // whether the sum includes the column "format"
  double step_weight_ = 0, reply_weight_ = 0, format_weight_ = 0;  // weights of the parts in the sum
  std::optional<double> broken_format_;  // reward of incomplete completions, instead of the sum; nullopt: the sum
  bool abstain_on_contradiction_;        // no_opinion if the verdicts on steps and reply contradict each other
  JudgePanel judges_;
};

}  // namespace compeer::judging
