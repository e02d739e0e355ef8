#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace compeer::empathy {

/// What was read, or the reason why nothing was.
template <class Value>
struct Judged {
  std::optional<Value> value;
  std::string refusal;  ///< empty if and only if there is a value

  explicit operator bool() const { return value.has_value(); }
};

/// A judgement that is one of a few answers, and nothing besides: "True", "both good". Strict: the case of ASCII
/// letters, white space around the answer and one full stop (. or the Chinese one) behind it do not matter; an answer
/// with anything else before or after it is refused, and never guessed.
class Answers {
 public:
  /// Throws std::invalid_argument if there are fewer than two, or one could not be told from another or be read back.
  explicit Answers(std::vector<std::string> words);
  /// Throws it also unless there are `count`.
  Answers(std::vector<std::string> words, size_t count);

  /// The number of the answer that the text gives. `parse(print(i)).value == i`.
  Judged<size_t> parse(std::string_view text) const;
  const std::string& print(size_t answer) const { return words_.at(answer); }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_, plain_;
};

/// Answers that stand for values: words in the order of the enumerators; of bool, the word for true is the first.
template <class Value>
class ValueAnswers {
 public:
  ValueAnswers(std::vector<std::string> words, size_t count) : answers_(std::move(words), count) {}

  Judged<Value> parse(std::string_view text) const { return value_of(answers_.parse(text)); }
  const std::string& print(Value value) const {
    if constexpr (std::is_same_v<Value, bool>) return answers_.print(value ? 0 : 1);
    return answers_.print(static_cast<size_t>(value));
  }
  const Answers& answers() const { return answers_; }

  /// What the number of an answer stands for.
  static Judged<Value> value_of(const Judged<size_t>& answer) {
    if (!answer) return {std::nullopt, answer.refusal};
    if constexpr (std::is_same_v<Value, bool>) return {*answer.value == 0, ""};
    return {static_cast<Value>(*answer.value), ""};
  }

 private:
  Answers answers_;
};

/// Is one step of the reasoning right?
struct StepVerdicts : ValueAnswers<bool> {
  explicit StepVerdicts(std::vector<std::string> words = {"True", "False"}) : ValueAnswers(std::move(words), 2) {}
};

/// Which of two replies is better? The enumerators are in the order of the words.
enum class Preference { first, second, both, neither };
inline constexpr std::array<Preference, 4> preferences = {Preference::first, Preference::second, Preference::both,
                                                          Preference::neither};

/// Is the second reply as good as the first, or better? All that a reward uses, the first being the reference.
inline bool as_good(Preference of_second) { return of_second == Preference::second || of_second == Preference::both; }

/// The same judgement with the two replies in the other order.
Preference swapped(Preference preference);

struct Preferences : ValueAnswers<Preference> {
  explicit Preferences(std::vector<std::string> words = {"first", "second", "both good", "neither"})
      : ValueAnswers(std::move(words), 4) {}
};

/// Whether a dialogue is fit to learn from; if not, why. A crisis: somebody's life or safety is in danger. Words are in
/// the order of the enumerators.
enum class Fitness { keep, incoherent, artificial, no_dialogue, personal_data, crisis };

struct FilterVerdicts : ValueAnswers<Fitness> {
  explicit FilterVerdicts(std::vector<std::string> words = {"keep", "incoherent", "artificial", "no dialogue",
                                                            "personal data", "crisis"})
      : ValueAnswers(std::move(words), 6) {}
};

/// How a person behaves in conversation (DISC). Written as four lines, or five, each name once, in this order:
///
///   dominance: 4
///   influence: 0
///   steadiness: 10
///   compliance: 2
///   manner: short sentences, asks for facts
struct Disc {
  static constexpr int most = 10;
  static constexpr std::array<std::string_view, 4> names = {"dominance", "influence", "steadiness", "compliance"};
  std::array<int, 4> traits = {};  ///< 0 to `most`
  std::string manner;              ///< one line, without outer white space; may be empty

  bool operator==(const Disc&) const = default;
};

/// Strict: white space around lines and blank lines do not matter, nor does the case of names.
/// `parse_disc(print(x)).value == x` for every printable x.
Judged<Disc> parse_disc(std::string_view text);

/// Throws std::invalid_argument if a trait is out of range or the manner is not one line.
std::string print(const Disc& persona);

}  // namespace compeer::empathy
