#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judging/form.h"

namespace compeer::judging {

/// The parts of one completion that a judge is asked about: the steps it contains and its reply (empty text if it has
/// none).
struct JudgeInput {
  StepTexts steps;
  InterpretedReply reply;
};
/// Returns the steps and the reply of any completion, well-formed or not (empathy::steps_of, empathy::reply_of).
JudgeInput parse_completion(const std::string& completion);

/// The completions of one dialogue to be judged together, and the reference reply to compare theirs with.
struct JudgedGroup {
  std::vector<Turn> history;
  InterpretedReply reference;
  std::vector<JudgeInput> completions;  ///< one for each completion
  /// The reader's own steps for the dialogue, shown to the judge next to each step; empty without a reader (form.h).
  StepTexts reading = {};
};

/// A judge's verdicts on one completion. A value is empty if the question was not asked or the answer was not readable.
struct Verdicts {
  std::array<std::optional<double>, 3> steps;  ///< 1: right, -1: wrong; by likelihood P(right) - P(wrong)
  std::optional<double> reply;  ///< 1: equal to the reference or better, -1: worse; by likelihood P(as good) - P(worse)
  std::optional<empathy::Preference> preference;  ///< `first` is the reference, whatever `swap` is
  int asked = 0;                                  ///< number of answers received, readable or not, over all votes
  int unreadable = 0;                             ///< number of these answers that could not be parsed
  std::string unread = {};                        ///< the first answer that could not be parsed

  /// Adds the counts of `other`, which is about the same completion; keeps the first unreadable answer.
  void count(const Verdicts& other);
};

/// How a judge's answers are decoded and turned into verdicts.
struct JudgeDecoding {
  int votes = 1;             ///< number of sampled answers whose majority decides; 1: one greedy answer
  double temperature = 0.7;  ///< sampling temperature if votes > 1
  /// Verdicts are differences of probabilities instead of 1 and -1; every question is then asked once.
  bool by_likelihood = false;
  bool swap = false;  ///< show the completion as the first reply and the reference as the second
  /// Chat models only: send all questions at once, each for every possible verdict on the earlier ones. Saves latency,
  /// costs more requests, does not change the answers.
  bool speculate = false;
};

/// Selection of the questions that a judge is asked.
struct Scope {
  bool steps = true, reply = true;
  bool separate = false;  ///< ask each question in a conversation of its own, without the earlier verdicts
};

/// A judge: answers questions about completions. Implemented by ModelJudge and ChatJudge.
class Judge {
 public:
  virtual ~Judge() = default;

  /// Returns the Verdicts about each completion: [groups][completions]. Those about one completion do not depend on the
  /// others.
  virtual std::vector<std::vector<Verdicts>> judge(std::span<const JudgedGroup> groups) const = 0;
};

/// The four questions about a completion (0 to 2: is the step right? 3: is the reply as good as the reference?), and
/// the conversion of answers to Verdicts.
class Questions {
 public:
  /// Number of questions, and the index of the one about the replies.
  static constexpr size_t count = 4, reply = 3;

  Questions(JudgeFormat form, Scope scope, JudgeDecoding decoding)
      : form_(std::move(form)), scope_(scope), decoding_(decoding) {}

  const JudgeFormat& form() const { return form_; }
  const Scope& scope() const { return scope_; }
  const JudgeDecoding& decoding() const { return decoding_; }
  /// Returns how many times each question is asked.
  int votes() const { return decoding_.by_likelihood ? 1 : decoding_.votes; }

  /// Returns true if `question` is in scope and the completion has the part it is about.
  bool asks(const JudgeInput& one, size_t question) const;
  /// Returns the text of the question; only if `asks` is true.
  std::string text(const JudgedGroup& group, const JudgeInput& one, size_t question) const;
  /// Returns the possible answers to the question. For steps the first means right; replies have the four of
  /// empathy::Preference.
  const empathy::Answers& words(size_t question) const;

  /// Records an answer in `verdicts` and increments its counts. `word` is the index of the answer in `words(question)`,
  /// empty if `answer` could not be parsed. Does not overwrite a value set by `record_probabilities`.
  void record_answer(Verdicts& verdicts, size_t question, std::optional<size_t> word, const std::string& answer) const;
  /// Sets the value from probabilities: `log_probs` has the natural log-probability of each answer in
  /// `words(question)`. They need not sum to 1.
  void record_probabilities(Verdicts& verdicts, size_t question, const std::vector<double>& log_probs) const;

  /// Returns the majority verdict of each question over `votes`, the earliest of equally frequent ones, with the sum of
  /// the counts.
  static Verdicts majority(const std::vector<Verdicts>& votes);

 private:
  JudgeFormat form_;
  Scope scope_;
  JudgeDecoding decoding_;
};

}  // namespace compeer::judging
