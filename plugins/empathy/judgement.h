#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Strict parsers and printers of judgements: a judge's answers about a supporter's reply or its three reasoning steps,
// verdicts about dialogues, and personas. A judge is a model that scores texts. Labels of data sets and the training
// texts of judges are printed here, and answers of trained judges are parsed here. In a dialogue the seeker asks for
// emotional support and the supporter gives it.

namespace compeer::empathy {

/// A parsed value, or the reason why the text could not be parsed.
template <class Value>
struct ParseResult {
  std::optional<Value> value;  ///< empty if the text was refused
  std::string refusal;         ///< reason of the refusal, for messages; empty if and only if there is a value

  /// True if there is a value.
  explicit operator bool() const { return value.has_value(); }
};

/// A closed set of answers such as "True", "False" or "both good", with a strict parser. The parser ignores the case of
/// ASCII letters, white space around the answer and one final full stop (ASCII or Chinese). A text with anything else
/// before or after the answer is refused.
class Answers {
 public:
  /// `words`: the answers as they are printed. Throws std::invalid_argument if there are fewer than two answers, two of
  /// them differ only in case, or one is empty or starts or ends with white space or a full stop.
  explicit Answers(std::vector<std::string> words);
  /// Like the other constructor. Also throws std::invalid_argument unless there are `count` answers.
  Answers(std::vector<std::string> words, size_t count);

  /// Returns the index of the answer that `text` consists of, or the reason why it is none.
  /// `parse(print(i)).value == i`.
  ParseResult<size_t> parse(std::string_view text) const;
  /// Returns the text of the answer with this index. Throws std::out_of_range for an invalid index.
  const std::string& print(size_t answer) const { return words_.at(answer); }
  /// Returns the texts of all answers, in the order of their indices.
  const std::vector<std::string>& answers() const { return words_; }

 private:
  std::vector<std::string> words_;  // the answers as they are printed
  std::vector<std::string> plain_;  // the same in lower case, for comparisons
};

/// A closed set of answers with a value of type `Value` for each. For an enumeration, the words are in the order of its
/// enumerators, which count from 0. For bool, the first word means true and the second false.
template <class Value>
class ValueAnswers {
 public:
  /// `count`: number of values. Throws std::invalid_argument unless there are `count` valid words.
  ValueAnswers(std::vector<std::string> words, size_t count) : answers_(std::move(words), count) {}

  /// Returns the value of the answer that `text` consists of, or the reason why it is none. As strict as
  /// Answers::parse.
  ParseResult<Value> parse(std::string_view text) const { return value_of(answers_.parse(text)); }
  /// Returns the word for a value.
  const std::string& print(Value value) const {
    if constexpr (std::is_same_v<Value, bool>) return answers_.print(value ? 0 : 1);
    return answers_.print(static_cast<size_t>(value));
  }
  /// Returns the underlying answers, without their values.
  const Answers& answers() const { return answers_; }

  /// Converts a parsed index of an answer to its value; a refusal stays the same.
  static ParseResult<Value> value_of(const ParseResult<size_t>& answer) {
    if (!answer) return {std::nullopt, answer.refusal};
    if constexpr (std::is_same_v<Value, bool>) return {*answer.value == 0, ""};
    return {static_cast<Value>(*answer.value), ""};
  }

 private:
  Answers answers_;
};

/// Answers to the question whether one of the three reasoning steps (history, emotion, strategy) is right; the value
/// true means right.
struct StepVerdicts : ValueAnswers<bool> {
  explicit StepVerdicts(std::vector<std::string> words = {"True", "False"}) : ValueAnswers(std::move(words), 2) {}
};

/// Result of comparing two replies to the same dialogue.
enum class Preference {
  first,    ///< the first reply is better
  second,   ///< the second reply is better
  both,     ///< both are equally good
  neither,  ///< none of the two is acceptable
};
/// All preferences, in the order of their values.
inline constexpr std::array<Preference, 4> preferences = {Preference::first, Preference::second, Preference::both,
                                                          Preference::neither};

/// True if the second reply is at least as good as the first (`second` or `both`). Rewards use only this result: the
/// first reply is the human reference, the second a model's.
inline bool as_good(Preference of_second) { return of_second == Preference::second || of_second == Preference::both; }

/// Returns the same judgement for the two replies in the opposite order: exchanges `first` and `second`.
Preference swapped(Preference preference);

/// Answers to the question which of two replies is better; the default words are those of prompts and data files.
struct Preferences : ValueAnswers<Preference> {
  explicit Preferences(std::vector<std::string> words = {"first", "second", "both good", "neither"})
      : ValueAnswers(std::move(words), 4) {}
};

/// Result of filtering a dialogue: suitable for training, or the reason why it is not.
enum class Fitness {
  keep,           ///< suitable
  incoherent,     ///< the turns do not fit together
  artificial,     ///< no real person talks like this
  no_dialogue,    ///< not a conversation between a seeker and a supporter
  personal_data,  ///< contains data that identify a person
  crisis,         ///< a person's life or safety is in danger
};

/// Answers to the question whether a dialogue is suitable for training.
struct FilterVerdicts : ValueAnswers<Fitness> {
  explicit FilterVerdicts(std::vector<std::string> words = {"keep", "incoherent", "artificial", "no dialogue",
                                                            "personal data", "crisis"})
      : ValueAnswers(std::move(words), 6) {}
};

/// A persona: a person's behaviour in conversation, rated by the four DISC traits. Its text has four lines, or five
/// with the manner, in this order:
///
///   dominance: 4
///   influence: 0
///   steadiness: 10
///   compliance: 2
///   manner: short sentences, asks for facts
struct Disc {
  static constexpr int most = 10;  ///< highest rating of a trait
  /// Names of the traits, in the order of `traits`.
  static constexpr std::array<std::string_view, 4> names = {"dominance", "influence", "steadiness", "compliance"};
  std::array<int, 4> traits = {};  ///< rating of each trait, from 0 to `most`, in the order of `names`
  std::string manner;              ///< how the person talks: one line, trimmed; may be empty

  bool operator==(const Disc&) const = default;
};

/// Parses the text of a persona strictly. Ignores only blank lines, white space around lines and the case of names.
/// `parse_disc(print(x)).value == x` for every printable x.
ParseResult<Disc> parse_disc(std::string_view text);

/// Returns the text of a persona, as `parse_disc` parses it. Throws std::invalid_argument if a trait is out of range or
/// the manner is not one line.
std::string print(const Disc& persona);

}  // namespace compeer::empathy
