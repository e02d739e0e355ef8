#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace compeer::empathy {

/// A parsed value, or the reason why there is none.
template <class Value>
struct ParseResult {
  std::optional<Value> value;
  std::string refusal;  ///< empty if and only if there is a value

  explicit operator bool() const { return value.has_value(); }
};

/// A closed set of answers such as "True", "False" or "both good", with a strict parser. The parser ignores the case of
/// ASCII letters, white space around the answer and one final full stop (ASCII or Chinese). A text with anything else
/// before or after the answer is refused.
class Answers {
 public:
  /// Throws std::invalid_argument if there are fewer than two answers, two of them differ only in case, or one is empty
  /// or starts or ends with white space or a full stop.
  explicit Answers(std::vector<std::string> words);
  /// The same; also throws std::invalid_argument unless there are `count` answers.
  Answers(std::vector<std::string> words, size_t count);

  /// Returns the index of the answer, or why `text` is not one. `parse(print(i)).value == i`.
  ParseResult<size_t> parse(std::string_view text) const;
  /// Returns the answer with this index. Throws std::out_of_range if there is none.
  const std::string& print(size_t answer) const { return words_.at(answer); }
  const std::vector<std::string>& answers() const { return words_; }

 private:
  std::vector<std::string> words_, plain_;
};

/// Answers that stand for values. Words are in the order of the enumerators; for bool, the first word means true.
template <class Value>
class ValueAnswers {
 public:
  /// Throws std::invalid_argument as Answers does.
  ValueAnswers(std::vector<std::string> words, size_t count) : answers_(std::move(words), count) {}

  /// As Answers::parse and Answers::print.
  ParseResult<Value> parse(std::string_view text) const { return value_of(answers_.parse(text)); }
  const std::string& print(Value value) const {
    if constexpr (std::is_same_v<Value, bool>) return answers_.print(value ? 0 : 1);
    return answers_.print(static_cast<size_t>(value));
  }
  const Answers& answers() const { return answers_; }

  /// Converts the index of an answer to its value.
  static ParseResult<Value> value_of(const ParseResult<size_t>& answer) {
    if (!answer) return {std::nullopt, answer.refusal};
    if constexpr (std::is_same_v<Value, bool>) return {*answer.value == 0, ""};
    return {static_cast<Value>(*answer.value), ""};
  }

 private:
  Answers answers_;
};

/// Answers to the question whether one reasoning step is right; true means right.
struct StepVerdicts : ValueAnswers<bool> {
  explicit StepVerdicts(std::vector<std::string> words = {"True", "False"}) : ValueAnswers(std::move(words), 2) {}
};

/// Result of comparing two replies. `Preferences` has the words in the order of the enumerators.
enum class Preference { first, second, both, neither };
inline constexpr std::array<Preference, 4> preferences = {Preference::first, Preference::second, Preference::both,
                                                          Preference::neither};

/// Returns true if the second reply is at least as good as the first. Rewards use only this; the first is the
/// reference.
inline bool as_good(Preference of_second) { return of_second == Preference::second || of_second == Preference::both; }

/// Returns the same judgement with the two replies in the other order.
Preference swapped(Preference preference);

struct Preferences : ValueAnswers<Preference> {
  explicit Preferences(std::vector<std::string> words = {"first", "second", "both good", "neither"})
      : ValueAnswers(std::move(words), 4) {}
};

/// Whether a dialogue is suitable for training, or why it is not. `crisis`: a person's life or safety is in danger.
/// `FilterVerdicts` has the words in the order of the enumerators.
enum class Fitness { keep, incoherent, artificial, no_dialogue, personal_data, crisis };

struct FilterVerdicts : ValueAnswers<Fitness> {
  explicit FilterVerdicts(std::vector<std::string> words = {"keep", "incoherent", "artificial", "no dialogue",
                                                            "personal data", "crisis"})
      : ValueAnswers(std::move(words), 6) {}
};

/// A person's behaviour in conversation by the four DISC traits. Written as four lines, or five with the manner, in
/// this order:
///
///   dominance: 4
///   influence: 0
///   steadiness: 10
///   compliance: 2
///   manner: short sentences, asks for facts
struct Disc {
  static constexpr int most = 10;
  static constexpr std::array<std::string_view, 4> names = {"dominance", "influence", "steadiness", "compliance"};
  std::array<int, 4> traits = {};  ///< 0 to `most`, in the order of `names`
  std::string manner;              ///< one line without white space at its ends; may be empty

  bool operator==(const Disc&) const = default;
};

/// Parses a persona strictly: ignores blank lines, white space around lines and the case of names.
/// `parse_disc(print(x)).value == x` for every printable x.
ParseResult<Disc> parse_disc(std::string_view text);

/// Returns the lines above. Throws std::invalid_argument if a trait is out of range or the manner is not one line.
std::string print(const Disc& persona);

}  // namespace compeer::empathy
