#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compeer/host.h"
#include "judging/judge.h"
#include "judging/reading.h"

// The judges of a reward or a stage, as its settings name them. A judge is a language model that decides whether the
// three reasoning steps of a completion are right and whether its reply is as good as a reference reply. Its decisions
// are called verdicts.

/// JSON text with the settings of a judge and of the decoding of its answers, for the "parameters" of plugin
/// descriptors.
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

/// JSON text with the settings that name a second judge, for the replies only.
#define COMPEER_OUTCOME_MODEL_SETTINGS                                                                             \
  R"json("outcome_model": {"type": "path", "default": null, "help": "folder of a separate judge of replies; )json" \
  R"json('model' or 'chat' then judges only the steps"},)json"                                                     \
  R"json("outcome_chat": {"type": "plugin", "kind": "chat", "default": null, "help": "a chat model )json"          \
  R"json(instead of 'outcome_model'"},)json"

namespace compeer::judging {

/// One judge of steps and reply (UnifiReward) or, if the settings have `outcome_model` or `outcome_chat`, two judges:
/// the first for the steps, the second for the reply, with every question in a separate conversation (PRM and ORM).
/// Keeps references to `host` and its models.
class JudgePanel {
 public:
  /// Opens the judges. `scope`: the questions for a single judge; ignored if there are two. `reads`: the parts of a
  /// reading (another model's steps, shown for comparison) that the judges get. Throws std::runtime_error if the
  /// settings contradict each other, Error (exit code 3: wrong settings) if a judge in a folder was trained with other
  /// questions, answers or readings.
  JudgePanel(const Settings& settings, Host& host, Scope scope, Reads reads);

  /// Returns the verdicts, indexed [group][completion]. With two judges, each contributes the verdicts on its own
  /// questions, and their counts of answers are added.
  std::vector<std::vector<Verdicts>> judge(std::span<const JudgedGroup> groups) const;

  /// Returns true if all judges are chat models that wait for an external service (Chat::is_async).
  bool is_async() const;
  /// Returns true if a judge is a chat model. Its requests may fail, so verdicts may be missing.
  bool is_remote() const;

  /// Returns for each judge its model folder, or the name of its chat model.
  const std::vector<std::string>& names() const { return names_; }
  /// Returns for each judge a text that changes when its weights, or a chat model's questions, change.
  std::vector<std::string> fingerprints() const;

 private:
  // Opens one judge. `before`: the prefix of the names of its settings, "" or "outcome_".
  void add(const Settings& settings, Host& host, const std::string& before, Scope scope);
  // Compares the form of the judge added last with the file form.json in its folder: throws Error (exit code 3) if they
  // differ, adds its name to `unchecked_` if there is no such file.
  void check(const JudgeFormat& format, const Scope& scope);
  // Logs `unchecked_` and the first answer that could not be parsed, each once. `verdicts`: [group][completion].
  void log_once(const std::vector<std::vector<Verdicts>>& verdicts) const;

  Host& host_;
  const Reads reads_;
  mutable std::string unchecked_;           // names of judges without form.json, separated by commas; "" once logged
  mutable bool unreadable_logged_ = false;  // whether an answer that could not be parsed was logged

  // One element for each judge.
  std::vector<std::unique_ptr<Judge>> judges_;
  std::vector<std::string> names_;
  std::vector<const Chat*> chats_;      // null: a model folder
  std::vector<std::string> questions_;  // fingerprint of a chat model's questions; "": a model folder
};

}  // namespace compeer::judging
