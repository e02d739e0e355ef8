#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judging/judge_format.h"

// Judging of completions, for rewards and for stages that measure judges. A judge is a language model that is asked up
// to four questions about a completion: whether each of its three reasoning steps (history, emotion, strategy) is
// right, and whether its reply is as good as a reference reply. Its answers become "verdicts", numbers between -1
// and 1.

namespace compeer::judging {

/// The parts of one completion that a judge is asked about.
struct JudgeInput {
  StepTexts steps;         ///< nullopt: the completion lacks this step
  InterpretedReply reply;  ///< empty text: the completion has no reply
};
/// Returns the steps and the reply that are found in `completion`, also if it is malformed.
JudgeInput parse_completion(const std::string& completion);

/// Completions of one dialogue, to be judged together, and the reference reply with which their replies are compared.
struct JudgedGroup {
  std::vector<Turn> history;  ///< the dialogue up to the turn that the completions answer
  InterpretedReply reference;
  std::vector<JudgeInput> completions;
  /// Steps that another model (the reader) wrote for the dialogue, shown to the judge for comparison; empty without a
  /// reader.
  StepTexts reading = {};
};

/// A judge's verdicts on one completion. A verdict is nullopt if the question was not asked or the answer could not be
/// parsed.
struct Verdicts {
  /// For each step 1 (right) or -1 (wrong); with `JudgeDecoding::by_likelihood` P(right) - P(wrong).
  std::array<std::optional<double>, 3> steps;
  /// 1: the reply is at least as good as the reference, -1: worse; with `by_likelihood` P(as good) - P(worse).
  std::optional<double> reply;
  /// The judge's answer about the replies. `first` is the reference, also if it was shown second.
  std::optional<empathy::Preference> preference;
  int asked = 0;                      ///< number of answers received, parsed or not, over all votes
  int unreadable = 0;                 ///< number of these answers that could not be parsed
  std::string first_unreadable = {};  ///< text of the first answer that could not be parsed

  /// Adds `asked` and `unreadable` of `other`, which is about the same completion. Takes its `first_unreadable` if this
  /// object had none. Does not change the verdicts.
  void count(const Verdicts& other);
};

/// How a judge's answers are decoded and turned into verdicts.
struct JudgeDecoding {
  int votes = 1;             ///< number of sampled answers whose majority decides; 1: one greedy answer
  double temperature = 0.7;  ///< sampling temperature if votes > 1
  /// Verdicts are differences of the probabilities of the possible answers instead of 1 and -1. Every question is then
  /// asked once, whatever `votes` is.
  bool by_likelihood = false;
  bool swap = false;  ///< show the completion as the first reply and the reference as the second
  /// Chat models only: send all questions at once, each for every possible sequence of answers to the earlier ones
  /// (speculative execution). Saves latency, costs more requests, does not change the verdicts.
  bool speculate = false;
};

/// Selection of the questions that a judge is asked.
struct Scope {
  bool steps = true;      ///< ask about the three steps
  bool reply = true;      ///< ask about the reply
  bool separate = false;  ///< ask each question in a conversation of its own, without the earlier questions and answers
};

/// A judge. Implemented by ModelJudge (a model folder on the program's engine) and ChatJudge (behind a chat plugin).
class Judge {
 public:
  virtual ~Judge() = default;

  /// Asks about all completions and returns their verdicts, indexed [group][completion]. The verdicts on one completion
  /// do not depend on the others.
  virtual std::vector<std::vector<Verdicts>> judge(std::span<const JudgedGroup> groups) const = 0;
};

/// The four questions about a completion, and the conversion of answers to verdicts. A question is identified by its
/// index: 0 to 2 ask whether this step is right, 3 asks how the reply compares with the reference.
class Questions {
 public:
  static constexpr size_t count = 4;  ///< number of questions
  static constexpr size_t reply = 3;  ///< index of the question about the reply

  Questions(JudgeFormat form, Scope scope, JudgeDecoding decoding)
      : form_(std::move(form)), scope_(scope), decoding_(decoding) {}

  const JudgeFormat& form() const { return form_; }
  const Scope& scope() const { return scope_; }
  const JudgeDecoding& decoding() const { return decoding_; }
  /// Returns how many times each question is asked: 1 by likelihood, otherwise `JudgeDecoding::votes`.
  int votes() const { return decoding_.by_likelihood ? 1 : decoding_.votes; }

  /// Returns true if `question` is in the scope and the completion `one` has the step or the reply that it is about.
  bool asks(const JudgeInput& one, size_t question) const;
  /// Returns the text of the question about the completion `one` of `group`. Requires that `asks` returns true.
  std::string text(const JudgedGroup& group, const JudgeInput& one, size_t question) const;
  /// Returns the possible answers to the question: two about a step, the first of them for right; four about the reply,
  /// in the order of empathy::Preference.
  const empathy::Answers& words(size_t question) const;

  /// Counts an answer in `verdicts` and sets the verdict, unless `record_probabilities` already set it. `word`: index
  /// of the answer in `words(question)`, nullopt if the text `answer` could not be parsed.
  void record_answer(Verdicts& verdicts, size_t question, std::optional<size_t> word, const std::string& answer) const;
  /// Sets the verdict to a difference of probabilities. `log_probs`: the natural-log probability of each answer in
  /// `words(question)`; the probabilities are normalized and need not sum to 1. Does not count an answer.
  void record_probabilities(Verdicts& verdicts, size_t question, const std::vector<double>& log_probs) const;

  /// Combines several votes about one completion. Returns for each question the most frequent verdict, the earliest of
  /// equally frequent ones, and the sums of the counts.
  static Verdicts majority(const std::vector<Verdicts>& votes);

 private:
  JudgeFormat form_;
  Scope scope_;
  JudgeDecoding decoding_;
};

}  // namespace compeer::judging
