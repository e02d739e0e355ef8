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

/// Settings of the form in which a judge is asked, for the "parameters" of descriptors: of plugins that ask a judge,
/// and of the dataset that trains one. A judge must be asked in the form it was trained in.
#define COMPEER_JUDGE_SETTINGS                                                                 \
  R"json("prompts": {"type": "path", "default": null,)json"                                    \
  R"json("help": "folder with judge_context.txt, judge_step_history.txt, ...; )json"           \
  R"json(unset: ask with the texts alone"},)json"                                              \
  R"json("step_words": {"type": "list", "items": "string", "default": ["True", "False"],)json" \
  R"json("help": "the judge's answers for a correct and a wrong step, in this order"},)json"   \
  R"json("preference_words": {"type": "list", "items": "string",)json"                         \
  R"json("default": ["first", "second", "both good", "neither"],)json"                         \
  R"json("help": "the judge's answers about two replies, in this order"})json"

namespace compeer::judging {

/// Texts of the three reasoning steps, in the order of `step_names`; empty for a step that is missing.
using StepTexts = std::array<std::optional<std::string>, 3>;
inline constexpr std::array<const char*, 3> step_names = {"history", "emotion", "strategy"};

/// Returns `text` in tags: tagged("emotion", "sadness") is "<emotion>sadness</emotion>".
std::string tagged(const std::string& tag, const std::string& text);

/// A reader's view of a reply. A reader is a trained supporter model whose own steps are shown to the judge for
/// comparison. `steps` are those that would have led to the reply; `least_log_prob` is the smallest natural
/// log-probability of its tokens when the reader scores the reply as its own answer.
struct ReplyReading {
  StepTexts steps;
  std::optional<double> least_log_prob;
};

/// A reply, and a reader's view of it (empty without a reader).
struct InterpretedReply {
  std::string text;
  ReplyReading reading = {};
};

/// Builds the texts of a judge's conversation: a context, which all completions of a group share as a prefix, then up
/// to four questions, each after the verdicts on the earlier ones. With prompt templates the context is one system turn
/// with the instructions, the dialogue and its pictures. Without templates the context is the dialogue's own turns, and
/// a question is only the tagged text to be judged.
class JudgeFormat {
 public:
  /// `prompts`: the folder with the templates if the setting `prompts` is unset; empty: no templates. Throws Error
  /// (exit 4) if a template can't be read, std::invalid_argument if two answer words can't be told apart.
  explicit JudgeFormat(const Settings& settings, const std::string& prompts = "");

  /// Returns the turns that come before the questions.
  std::vector<Turn> context(const std::vector<Turn>& history) const;
  /// Returns the question whether a step (0: history, 1: emotion, 2: strategy) is right. If `reading` has the step, the
  /// question also contains the reader's version: before the step with templates, after it without, where the word
  /// "same" replaces a version that equals `text`.
  std::string about_step(size_t step, const std::string& text, const StepTexts& reading = {}) const;
  /// Returns the question which of two replies is better. It starts with all steps of `reading`. The steps of each
  /// reply's own reading come before the reply with templates. Without templates they come last, one line for each
  /// reply: "same" replaces a step that agrees with `reading`, and "unclear" is appended if the reader gives some token
  /// of the reply a very low probability.
  std::string about_replies(const InterpretedReply& first, const InterpretedReply& second,
                            const StepTexts& reading = {}) const;

  /// Returns a hash of the templates and the answer words.
  std::string fingerprint() const;
  /// Returns the folder of the templates, or "" without templates.
  const std::string& prompts_folder() const { return prompts_folder_; }
  /// Returns the SHA-256 of the templates' texts, or "" without templates.
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
