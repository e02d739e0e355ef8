#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compeer/host.h"
#include "judging/judge.h"
#include "judging/reading.h"

/// Settings that name the judge and how its answers are decoded, for the "parameters" of descriptors.
#define COMPEER_PANEL_SETTINGS                                                                                            \
  R"json("model": {"type": "path", "default": null, "help": "the judge: a model folder, such as a run's )json"            \
  R"json(checkpoints/last"},)json"                                                                                        \
  R"json("chat": {"type": "plugin", "kind": "chat", "default": null, "help": "the judge: a chat model, in place of )json" \
  R"json(model; it is asked with prompts, its own or the program's"},)json"                                               \
  R"json("votes": {"type": "integer", "default": 1, "min": 1, "max": 99,)json"                                            \
  R"json("help": "1: the likeliest answer; else the majority of so many sampled ones"},)json"                             \
  R"json("temperature": {"type": "number", "default": 0.7, "above": 0, "help": "of answers that are sampled"},)json"      \
  R"json("by": {"type": "string", "default": "answer", "choices": ["answer", "likelihood"],)json"                         \
  R"json("help": "likelihood: P(right) - P(wrong) in place of 1 and -1 (not in the paper)"},)json"                        \
  R"json("bare": {"type": "boolean", "default": false, "help": "of a chat: ask with the bare texts, as a judge )json"     \
  R"json(of ours was trained that had no prompts"},)json"                                                                 \
  R"json("ahead": {"type": "boolean", "default": false, "help": "of a chat: ask all questions at once, for each )json"    \
  R"json(verdict that those before may bring: the time of one answer, and up to 15 requests, not 4"},)json"               \
  R"json("swap": {"type": "boolean", "default": false,)json"                                                              \
  R"json("help": "show the judge the completion first, the reference second"})json"

/// Settings that name a second judge.
#define COMPEER_OUTCOME_MODEL_SETTINGS                                                                               \
  R"json("outcome_model": {"type": "path", "default": null, "help": "the folder of a judge of replies, who is )json" \
  R"json(asked apart; model or chat is then one of steps"},)json"                                                    \
  R"json("outcome_chat": {"type": "plugin", "kind": "chat", "default": null, "help": "the same behind a chat )json"  \
  R"json(model"},)json"

namespace compeer::judging {

/// One judge of steps and reply (UnifiReward), or, with `outcome_model` or `outcome_chat`, one judge of the steps and
/// one of the reply that ask their questions independently (PRM and ORM). Keeps references to `host` and its models.
class Panel {
 public:
  /// `scope`: the questions for a single judge; ignored if there are two. `reads`: the parts of a reading shown to the
  /// judge. Throws std::runtime_error if the settings contradict each other, Error (exit 3) if a judge in a folder was
  /// trained in another form (trained_judge.h).
  Panel(const Settings& settings, Host& host, Scope scope, Reads reads);

  /// Returns the opinions as Judge::judge does; with two judges, each supplies its own questions and the counts are
  /// added.
  std::vector<std::vector<Opinion>> judge(std::span<const JudgedGroup> groups) const;

  /// Returns true if all judges are chat models that wait for an external service (Chat::waits).
  bool waits() const;
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
  void log_once(const std::vector<std::vector<Opinion>>& opinions) const;

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
