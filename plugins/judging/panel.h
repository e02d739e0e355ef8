#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compeer/host.h"
#include "judging/judge.h"
#include "judging/reading.h"

/// Who judges, and how the judge is heard: part of the descriptor's "parameters".
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

/// The settings of a second judge.
#define COMPEER_OUTCOME_MODEL_SETTINGS                                                                               \
  R"json("outcome_model": {"type": "path", "default": null, "help": "the folder of a judge of replies, who is )json" \
  R"json(asked apart; model or chat is then one of steps"},)json"                                                    \
  R"json("outcome_chat": {"type": "plugin", "kind": "chat", "default": null, "help": "the same behind a chat )json"  \
  R"json(model"},)json"

namespace compeer::judging {

/// One judge of steps and reply (UnifiReward), or with `outcome_model` or `outcome_chat` one of the steps and one of
/// the reply, who know nothing of each other (PRM and ORM).
class Panel {
 public:
  /// `scope`: what the first is asked about, if there is no second. `reads`: what is shown of a reading. Throws Error
  /// (exit 3) if a judge in a folder was trained to be asked in another form (trained_judge.h).
  Panel(const Settings& settings, Host& host, Scope scope, Reads reads);

  /// As `Judge::judge`.
  std::vector<std::vector<Opinion>> judge(std::span<const JudgedGroup> groups) const;

  /// True if no judge computes here.
  bool waits() const;
  /// True if a judge may be out of reach, so that there may be no opinion.
  bool is_remote() const;

  /// The folders and chat models, and for each what changes when it would judge otherwise.
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> fingerprints() const;

 private:
  // `before`: what the names of its settings begin with.
  void add(const Settings& settings, Host& host, const std::string& before, Scope scope);
  void check(const JudgeFormat& format, const Scope& scope);
  void log_once(const std::vector<std::vector<Opinion>>& opinions) const;

  Host& host_;
  const Reads reads_;
  mutable std::string unknown_;  // judges without a form, which are still to be logged
  mutable bool unread_logged_ = false;

  std::vector<std::unique_ptr<Judge>> judges_;
  std::vector<std::string> names_;
  std::vector<const Chat*> chats_;      // null of a model
  std::vector<std::string> questions_;  // of a chat model: what it is asked with
};

}  // namespace compeer::judging
