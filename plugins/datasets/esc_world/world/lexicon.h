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

/// How a person talks and likes to be talked to: the four DISC styles.
enum class Style { dominance, influence, steadiness, conscientiousness };
inline constexpr std::array<Style, 4> styles = {Style::dominance, Style::influence, Style::steadiness,
                                                Style::conscientiousness};
std::string_view name(Style style);

inline constexpr int problems = 12;
inline constexpr int subjects_each = 3;
inline constexpr int subjects = problems * subjects_each;  ///< subject s belongs to problem s / subjects_each

/// One language's words. The grammar is code, the words are this table; a second language is a second table.
/// Slots: {s} subject, {c} the problem's context, {i} intensity.
struct Lexicon {
  struct Problem {
    std::string name, context;
    std::array<std::string, subjects_each> subjects;
  };
  /// A cue that fits two labels, so it decides nothing between them.
  template <class Label>
  struct Shared {
    Label first, second;
    std::string text;
  };

  std::string language;
  std::array<Problem, problems> problem;
  std::string yours, unnamed;  ///< "your {s}", and what stands for a subject without naming it

  // What seekers say.
  std::vector<std::string> facts;                       ///< {s}, {c}
  std::vector<std::string> reminders;                   ///< {s}
  std::array<std::vector<std::string>, 8> cues;         ///< by emotion: {i}
  std::vector<Shared<Emotion>> shared_cues;             ///< {i}
  std::array<std::vector<std::string>, 5> intensities;  ///< 1-5
  std::array<std::vector<std::string>, 3> stage_cues;
  std::vector<Shared<Stage>> shared_stage_cues;
  std::array<std::vector<std::string>, 4> markers;  ///< by style: how an utterance begins

  // What is told of a seeker to whoever plays one.
  std::string card;                    ///< {problem}, {manner}, {feeling}, {now}
  std::array<std::string, 4> manners;  ///< by style: {m}, a marker
  std::array<std::string, 3> wishes;   ///< by need

  // What supporters say. No two of these sentences are the same.
  std::array<std::vector<std::string>, 8> acts;         ///< by strategy: {s}
  std::array<std::vector<std::string>, 8> attunements;  ///< by emotion
  std::array<std::vector<std::string>, 4> tails;        ///< by style
  std::vector<std::string> artificial;                  ///< what no person would say
  std::vector<std::string> safe;                        ///< generic comfort, fits nearly anywhere

  const std::string& subject(int index) const {
    return problem[static_cast<size_t>(index / subjects_each)].subjects[static_cast<size_t>(index % subjects_each)];
  }
};

/// The table of a language; "en" is the only one yet. Throws std::invalid_argument for another.
const Lexicon& lexicon(const std::string& language);

const Lexicon& english();

/// `text` with its slot (there is at most one of a kind) replaced.
std::string fill(std::string_view text, std::string_view slot, std::string_view value);

/// Parts with one space between.
std::string join(const std::vector<std::string>& parts);

/// Sentences of a text, each with its end mark; white space around them is dropped. What follows the last end
/// mark counts as a sentence too.
std::vector<std::string> sentences_of(std::string_view text);

}  // namespace compeer::esc_world
