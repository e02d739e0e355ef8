#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "empathy/labels.h"

namespace compeer::esc_world {

using empathy::Emotion;
using empathy::Sentiment;
using empathy::Stage;
using empathy::Strategy;

/// The four DISC styles: how a person talks and prefers to be talked to.
enum class Style { dominance, influence, steadiness, conscientiousness };
inline constexpr std::array<Style, 4> styles = {Style::dominance, Style::influence, Style::steadiness,
                                                Style::conscientiousness};
/// Returns the name of a style.
std::string_view name(Style style);

inline constexpr int problems = 12;                        ///< number of problems
inline constexpr int subjects_each = 3;                    ///< number of subjects of each problem
inline constexpr int subjects = problems * subjects_each;  ///< subject s belongs to problem s / subjects_each

/// The words of one language. The grammar is code and the same for all languages. Slots in texts: {s} subject, {c}
/// context of the problem, {i} intensity.
struct Lexicon {
  /// A field of life from which a seeker's subject comes.
  struct Problem {
    std::string name, context;  ///< its name, and the words for the slot {c}
    std::array<std::string, subjects_each> subjects;
  };
  /// A cue that fits two labels and so does not distinguish them.
  template <class Label>
  struct Shared {
    Label first, second;  ///< the two labels
    std::string text;     ///< the cue
  };

  std::string language;  ///< "en"
  std::array<Problem, problems> problem;
  std::string yours, unnamed;  ///< "your {s}", and the text for an unnamed subject

  // Sentences of seekers. Comments list the slots.
  std::vector<std::string> facts;                       ///< {s}, {c}: first mention of the subject
  std::vector<std::string> reminders;                   ///< {s}: later mentions
  std::array<std::vector<std::string>, 8> cues;         ///< by emotion: {i}
  std::vector<Shared<Emotion>> shared_cues;             ///< cues that fit two emotions: {i}
  std::array<std::vector<std::string>, 5> intensities;  ///< by intensity, 1 to 5
  std::array<std::vector<std::string>, 3> stage_cues;   ///< by stage
  std::vector<Shared<Stage>> shared_stage_cues;         ///< cues that fit two stages
  std::array<std::vector<std::string>, 4> markers;      ///< by style: beginning of an utterance

  // Description of a seeker for a role player.
  std::string card;                    ///< {problem}, {manner}, {feeling}, {now}
  std::array<std::string, 4> manners;  ///< by style: {m}, a marker
  std::array<std::string, 3> wishes;   ///< by need

  // Sentences of supporters. All sentences are different.
  std::array<std::vector<std::string>, 8> acts;         ///< by strategy: {s}
  std::array<std::vector<std::string>, 8> attunements;  ///< by emotion
  std::array<std::vector<std::string>, 4> tails;        ///< by style
  std::vector<std::string> artificial;                  ///< phrases no person would say
  std::vector<std::string> safe;                        ///< generic comfort that fits nearly anywhere

  /// Returns the text of a subject.
  const std::string& subject(int index) const {
    return problem[static_cast<size_t>(index / subjects_each)].subjects[static_cast<size_t>(index % subjects_each)];
  }
};

/// Returns the lexicon of a language; only "en" exists. Throws std::invalid_argument for another language.
const Lexicon& lexicon(const std::string& language);

/// Returns the English lexicon.
const Lexicon& english();

/// Returns `text` with the first occurrence of `slot` replaced by `value`.
std::string fill(std::string_view text, std::string_view slot, std::string_view value);

/// Returns the parts separated by spaces.
std::string join(const std::vector<std::string>& parts);

/// Splits a text into sentences, each with its end mark, without white space between them. Text after the last end mark
/// is a sentence too.
std::vector<std::string> sentences_of(std::string_view text);

}  // namespace compeer::esc_world
