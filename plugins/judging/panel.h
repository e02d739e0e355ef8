#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compeer/host.h"
#include "judging/judge.h"
#include "judging/reading.h"

/// Settings that name the judge and how its answers are decoded, for the "parameters" of descriptors.
#define COMPEER_PANEL_SETTINGS                                                                                          \
  R"json("model": {"type": "path", "default": null, "help": "the judge: a model folder, such as a run's )json"          \
  R"json(checkpoints/last"},)json"                                                                                      \
  R"json("chat": {"type": "plugin", "kind": "chat", "default": null, "help": "the judge: a chat model instead of )json" \
  R"json('model'; asked with 'prompts', by default those of the plugin"},)json"                                         \
  R"json("votes": {"type": "integer", "default": 1, "min": 1, "max": 99,)json"                                          \
  R"json("help": "number of sampled answers whose majority decides; 1: one greedy answer"},)json"                       \
  R"json("temperature": {"type": "number", "default": 0.7, "above": 0, "help": "temperature of sampled answers"},)json" \
  R"json("score_by": {"type": "string", "default": "answer", "choices": ["answer", "likelihood"],)json"                 \
  R"json("help": "score of a verdict; answer: 1 or -1; likelihood: P(right) - P(wrong) (not in the paper)"},)json"      \
  R"json("no_instructions": {"type": "boolean", "default": false, "help": "chat only: send the texts without )json"     \
  R"json(prompts; for judges trained without 'prompts'"},)json"                                                         \
  R"json("speculate": {"type": "boolean", "default": false, "help": "chat only: send all questions at once, one )json"  \
  R"json(per possible earlier verdict: latency of one answer, but up to 15 requests instead of 4"},)json"               \
  R"json("swap": {"type": "boolean", "default": false,)json"                                                            \
  R"json("help": "show the judge the completion first, the reference second"})json"

/// Settings that name a second judge.
#define COMPEER_OUTCOME_MODEL_SETTINGS                                                                             \
  R"json("outcome_model": {"type": "path", "default": null, "help": "folder of a separate judge of replies; )json" \
  R"json('model' or 'chat' then judges only the steps"},)json"                                                     \
  R"json("outcome_chat": {"type": "plugin", "kind": "chat", "default": null, "help": "a chat model )json"          \
  R"json(instead of 'outcome_model'"},)json"

namespace compeer::judging {

/// One judge of steps and reply (UnifiReward), or, with `outcome_model` or `outcome_chat`, one judge of the steps and
/// one of the reply that ask their questions independently (PRM and ORM). Keeps references to `host` and its models.
class JudgePanel {
 public:
  /// `scope`: the questions for a single judge; ignored if there are two. `reads`: the parts of a reading shown to the
  /// judge. Throws std::runtime_error if the settings contradict each other, Error (exit 3) if a judge in a folder was
  /// trained in another form (trained_judge.h).
  JudgePanel(const Settings& settings, Host& host, Scope scope, Reads reads);

  /// Returns the opinions as Judge::judge does; with two judges, each supplies its own questions and the counts are
  /// added.
  std::vector<std::vector<Verdicts>> judge(std::span<const JudgedGroup> groups) const;

  /// Returns true if all judges are chat models that wait for an external service (Chat::is_async).
  bool is_async() const;
  /// Returns true if a judge is a chat model. Its requests may fail, so opinions may be missing.
  bool is_remote() const;

  /// Returns the judges' model folders or chat model names.
  const std::vector<std::string>& names() const { return names_; }
  /// Returns for each judge a text that changes when its weights, or a chat model's questions, change.
  std::vector<std::string> fingerprints() const;

 private:
  // Opens one judge. `before`: the prefix of the names of its settings, "" or "outcome_".
  void add(const Settings& settings, Host& host, const std::string& before, Scope scope);
  void check(const JudgeFormat& format, const Scope& scope);
  void log_once(const std::vector<std::vector<Verdicts>>& opinions) const;

  Host& host_;
  const Reads reads_;
  mutable std::string unknown_;  // names of judges without a form.json, still to be logged
  mutable bool unread_logged_ = false;

  std::vector<std::unique_ptr<Judge>> judges_;
  std::vector<std::string> names_;
  std::vector<const Chat*> chats_;      // one for each judge; null for a model folder
  std::vector<std::string> questions_;  // one for each judge: fingerprint of a chat model's questions, or ""
};

}  // namespace compeer::judging
