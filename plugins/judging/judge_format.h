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

// The wording of the conversation with a judge. A judge is a language model that decides about a supporter model's
// completion: is each of its three reasoning steps right, and is its reply as good as a reference reply? Its "form" is
// the wording of these questions and of their possible answers. Rewards and stages must ask a judge in the form in
// which it was trained.
//
// Some judges are also shown a "reading" for comparison. A "reader" is another trained supporter model; its reading of
// a dialogue is the three steps that it writes itself.

/// JSON text with the settings of a judge's form, for the "parameters" of plugin descriptors: of plugins that ask a
/// judge, and of the dataset that trains one.
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

/// Texts of the three reasoning steps, in the order of `step_names`; nullopt for a missing step.
using StepTexts = std::array<std::optional<std::string>, 3>;
/// Names of the steps. They are also the tags around a step's text.
inline constexpr std::array<const char*, 3> step_names = {"history", "emotion", "strategy"};

/// Returns `text` in tags: tagged("emotion", "sadness") is "<emotion>sadness</emotion>".
std::string tagged(const std::string& tag, const std::string& text);

/// A reader's reading of one reply.
struct ReplyReading {
  StepTexts steps;  ///< the steps that, according to the reader, would have led to the reply
  /// Smallest natural-log probability of a token of the reply when the reader scores it as its own answer; nullopt:
  /// unknown.
  std::optional<double> least_log_prob;
};

/// A reply to be judged, and its reading.
struct InterpretedReply {
  std::string text;
  ReplyReading reading = {};  ///< all its fields are empty without a reader
};

/// Builds the texts of a judge's conversation: a context, which all completions of a dialogue share as a prefix, then
/// up to four questions, each after the judge's answers to the earlier ones. With prompt templates the context is one
/// system turn with the instructions, the dialogue and its pictures. Without templates the context is the dialogue's
/// own turns, and a question is only the text to be judged.
class JudgeFormat {
 public:
  /// Reads the settings of COMPEER_JUDGE_SETTINGS and the templates. `prompts`: folder with the templates if the
  /// setting `prompts` is unset; empty: no templates. Throws Error (exit code 4: invalid data) if a template can't be
  /// read, std::invalid_argument if two answer words differ only in case.
  explicit JudgeFormat(const Settings& settings, const std::string& prompts = "");

  /// Returns the turns that come before the questions about a reply to the dialogue `history`.
  std::vector<Turn> context(const std::vector<Turn>& history) const;
  /// Returns the question whether the step with index `step` in `step_names` is right. `text`: its text. `reading`: the
  /// reading of the dialogue. If the reading has this step, the question contains it, too: before the judged step with
  /// templates, after it without templates, with the word "same" in place of a text that equals `text`.
  std::string about_step(size_t step, const std::string& text, const StepTexts& reading = {}) const;
  /// Returns the question which of two replies is better. It starts with all steps of `reading`, the reading of the
  /// dialogue. With templates, the steps of each reply's own reading come before the reply. Without templates they come
  /// last, one line for each reply: "same" replaces a step that agrees with `reading`, and "unclear" is appended if the
  /// reader gives some token of the reply a log-probability below -6.
  std::string about_replies(const InterpretedReply& first, const InterpretedReply& second,
                            const StepTexts& reading = {}) const;

  /// Returns the SHA-256 of the answer words and the templates. It changes whenever the questions change.
  std::string fingerprint() const;
  /// Returns the folder of the templates, or "" without templates.
  const std::string& prompts_folder() const { return prompts_folder_; }
  /// Returns the SHA-256 of the templates' texts, or "" without templates.
  std::string prompts_sha256() const;

  /// Returns the allowed answers about a step (True and False by default).
  const empathy::StepVerdicts& verdicts() const { return verdicts_; }
  /// Returns the allowed answers about two replies (first, second, both good and neither by default).
  const empathy::Preferences& preferences() const { return preferences_; }

 private:
  // The templates of a folder.
  struct Prompts {
    empathy::PromptTemplate context;             // judge_context.txt: the system turn
    empathy::PromptTemplate reading;             // judge_reading.txt: one step of a reading
    std::vector<empathy::PromptTemplate> steps;  // judge_step_<name>.txt: the question about each step
    empathy::PromptTemplate replies;             // judge_replies.txt: the question about the replies
  };
  // Reads all templates from `folder`.
  static Prompts read(const std::string& folder);
  // Returns one step of a reading, or all of them, as text that precedes a question; "" for missing steps.
  std::string shown(const StepTexts& reading, size_t step) const;
  std::string shown(const StepTexts& reading) const;
  // Returns the SHA-256 of all templates, one after the other; "" without templates.
  std::string prompt_hashes() const;

  empathy::StepVerdicts verdicts_;
  empathy::Preferences preferences_;
  std::string prompts_folder_;      // "": no templates
  std::optional<Prompts> prompts_;  // nullopt: no templates
};

}  // namespace compeer::judging
