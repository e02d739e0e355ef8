#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compeer/conversation.h"
#include "compeer/host.h"
#include "compeer/settings.h"
#include "empathy/judgement.h"
#include "empathy/prompt.h"

/// The settings of a judge's conversation: part of the descriptor's "parameters" of every plugin that holds one, or
/// makes one to learn from. A judge must be asked in the form it was taught.
#define COMPEER_JUDGE_SETTINGS                                                                 \
  R"json("prompts": {"type": "path", "default": null,)json"                                    \
  R"json("help": "folder with judge_context.txt, judge_step_history.txt, ...; )json"           \
  R"json(unset: questions are the bare texts"},)json"                                          \
  R"json("step_words": {"type": "list", "items": "string", "default": ["True", "False"],)json" \
  R"json("help": "a judge's answers about a step: right, wrong"},)json"                        \
  R"json("preference_words": {"type": "list", "items": "string",)json"                         \
  R"json("default": ["first", "second", "both good", "neither"],)json"                         \
  R"json("help": "a judge's answers about two replies, in this order"})json"

namespace compeer::judging {

/// Texts of the three steps, those that are there.
using StepTexts = std::array<std::optional<std::string>, 3>;
inline constexpr std::array<const char*, 3> step_names = {"history", "emotion", "strategy"};

/// "<emotion>sadness</emotion>"
std::string tagged(const std::string& tag, const std::string& text);

/// What a reader makes of a reply: the steps that would have led to it, and the natural logarithm of how likely the
/// reader would have said the least likely token of it.
struct ReplyReading {
  StepTexts steps;
  std::optional<double> least_log_prob;
};

/// A reply, and what was made of it if there is a reader.
struct InterpretedReply {
  std::string text;
  ReplyReading reading = {};
};

/// How a judge is asked: a context, which all completions of a group share, then up to four questions, each of which
/// sees what was judged before. With `prompts` the context is a system turn that holds the dialogue and what is asked
/// for, and shows its pictures, without them the dialogue's own turns, and a question is nothing but the text that is
/// to be judged, in tags.
class JudgeFormat {
 public:
  /// `prompts`: the folder to take where the settings name none; empty: none.
  explicit JudgeFormat(const Settings& settings, const std::string& prompts = "");

  std::vector<Turn> context(const std::vector<Turn>& history) const;
  /// Is step 0 (history), 1 (emotion), 2 (strategy) right? With it stands what a reader of the dialogue made of it, if
  /// there was one: with `prompts` before the question, without them last, as `same` if it is the step itself.
  std::string about_step(size_t step, const std::string& text, const StepTexts& reading = {}) const;
  /// Which of two replies is better? Before them stands all that a reader made of the dialogue. What each does stands
  /// before it with `prompts`; without them last, on a line for each, as `same` where the dialogue's reading says so
  /// too, and with `unclear` behind it where the reader would hardly have said it like this.
  std::string about_replies(const InterpretedReply& first, const InterpretedReply& second,
                            const StepTexts& reading = {}) const;

  /// Changes when a prompt or an answer does.
  std::string fingerprint() const;
  /// The folder of the prompts, and the SHA-256 of their texts; both empty without prompts.
  const std::string& prompts_folder() const { return prompts_folder_; }
  std::string prompts_sha256() const;

  const empathy::StepVerdicts& verdicts() const { return verdicts_; }
  const empathy::Preferences& preferences() const { return preferences_; }

 private:
  struct Prompts {
    empathy::PromptTemplate context, reading;
    std::vector<empathy::PromptTemplate> steps;
    empathy::PromptTemplate replies;
  };
  static Prompts read(const std::string& folder);
  std::string shown(const StepTexts& reading, size_t step) const;
  std::string shown(const StepTexts& reading) const;
  std::string prompt_hashes() const;

  empathy::StepVerdicts verdicts_;
  empathy::Preferences preferences_;
  std::string prompts_folder_;
  std::optional<Prompts> prompts_;
};

}  // namespace compeer::judging
