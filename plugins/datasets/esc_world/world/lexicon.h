#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "empathy/labels.h"

// The words of the generated data set esc_world, dialogues between a rule-based seeker (a person in need of emotional
// support) and a scripted supporter. All utterances and replies consist of sentences from these tables. The seeker's
// hidden state has labels, such as emotion and stage of the dialogue; a cue is a sentence that hints at a label.

namespace compeer::esc_world {

// The label sets; their values index the tables.
using empathy::Emotion;
using empathy::Sentiment;
using empathy::Stage;
using empathy::Strategy;

/// The four DISC styles: a person's way of talking, and of being addressed.
enum class Style { dominance, influence, steadiness, conscientiousness };
/// All styles, in the order of their values.
inline constexpr std::array<Style, 4> styles = {Style::dominance, Style::influence, Style::steadiness,
                                                Style::conscientiousness};
/// Returns the name of a style.
std::string_view name(Style style);

inline constexpr int problems = 12;      ///< number of problems that a seeker may have, such as work
inline constexpr int subjects_each = 3;  ///< number of subjects of each problem, such as boss
/// Number of all subjects. Subject s, from 0, belongs to problem s / subjects_each.
inline constexpr int subjects = problems * subjects_each;

/// The words of one language. The rules that combine sentences are code and the same for all languages. Sentences may
/// have slots, places to be filled: {s} the subject, {c} the context of the problem, {i} the intensity of an emotion.
struct Lexicon {
  /// A problem of a seeker.
  struct Problem {
    std::string name;                                 ///< "work"
    std::string context;                              ///< end of a sentence about the problem, for the slot {c}
    std::array<std::string, subjects_each> subjects;  ///< its subjects, for the slot {s}: "boss"
  };
  /// An ambiguous cue, which fits two labels.
  template <class Label>
  struct Shared {
    Label first, second;  ///< the labels that it fits
    std::string text;     ///< the sentence
  };

  std::string language;                   ///< "en"
  std::array<Problem, problems> problem;  ///< all problems
  std::string yours;                      ///< "your {s}": a subject in a supporter's sentence
  std::string unnamed;                    ///< "this": replaces `yours` if a supporter names no subject

  // Sentences of seekers.
  std::vector<std::string> facts;                       ///< first mention of the subject; slots {s}, {c}
  std::vector<std::string> reminders;                   ///< later mentions of the subject; slot {s}
  std::array<std::vector<std::string>, 8> cues;         ///< [emotion][phrase]: cues for an emotion; slot {i}
  std::vector<Shared<Emotion>> shared_cues;             ///< ambiguous cues for emotions; slot {i}
  std::array<std::vector<std::string>, 5> intensities;  ///< [intensity - 1][phrase]: words for the slot {i}: "very"
  std::array<std::vector<std::string>, 3> stage_cues;   ///< [stage][phrase]: cues for a stage of the dialogue
  std::vector<Shared<Stage>> shared_stage_cues;         ///< ambiguous cues for stages
  std::array<std::vector<std::string>, 4> markers;      ///< [style][phrase]: first words of an utterance: "in short,"

  // Description of a seeker, for a chat model that plays it.
  std::string card;                    ///< the role card; slots {problem}, {manner}, {feeling}, {now}
  std::array<std::string, 4> manners;  ///< [style]: how such a person talks; slot {m}, a marker
  std::array<std::string, 3> wishes;   ///< [need]: the seeker's unspoken goal

  // Sentences of supporters. All sentences are different.
  std::array<std::vector<std::string>, 8> acts;  ///< [strategy][phrase]: sentences that apply a strategy; slot {s}
  std::array<std::vector<std::string>, 8> attunements;  ///< [emotion][phrase]: sentences that respond to an emotion
  std::array<std::vector<std::string>, 4> tails;        ///< [style][phrase]: sentences that address a style
  std::vector<std::string> artificial;                  ///< phrases no person would say
  std::vector<std::string> safe;                        ///< generic comfort that fits nearly anywhere

  /// Returns the text of a subject; 0 <= index < `subjects`.
  const std::string& subject(int index) const {
    return problem[static_cast<size_t>(index / subjects_each)].subjects[static_cast<size_t>(index % subjects_each)];
  }
};

/// Returns the lexicon of a language; only "en" exists. Throws std::invalid_argument for another language.
const Lexicon& lexicon(const std::string& language);

/// Returns the English lexicon.
const Lexicon& english();

/// Returns `text` with the first occurrence of `slot`, such as "{s}", replaced by `value`.
std::string fill(std::string_view text, std::string_view slot, std::string_view value);

/// Returns the parts separated by spaces.
std::string join(const std::vector<std::string>& parts);

/// Splits a text into sentences, each with its end mark, without white space between them. Text after the last end mark
/// is a sentence too.
std::vector<std::string> sentences_of(std::string_view text);

}  // namespace compeer::esc_world
