#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judging/form.h"

namespace compeer::judging {

/// What is to be judged: the steps that are there, and the reply, empty if there is none.
struct JudgeInput {
  StepTexts steps;
  InterpretedReply reply;
};
/// Of any completion, whatever its faults.
JudgeInput case_of(const std::string& completion);

/// Completions of one dialogue, with the reply that theirs are compared with; `reading`: how a reader took the
/// dialogue, shown beside each step.
struct JudgedGroup {
  std::vector<Turn> history;
  InterpretedReply reference;
  std::vector<JudgeInput> cases;
  StepTexts reading = {};
};

/// A judge's opinion; nothing where it was not asked, or gave no answer that could be read.
struct Opinion {
  std::array<std::optional<double>, 3> steps;     ///< 1 right, -1 wrong; by likelihood: P(right) - P(wrong)
  std::optional<double> reply;                    ///< 1 equal to the reference or better, -1 worse
  std::optional<empathy::Preference> preference;  ///< first: the reference
  int asked = 0;                                  ///< questions that were answered, in all votes
  int unreadable = 0;                             ///< those whose answer could not be read
  std::string unread = {};                        ///< the first answer that could not be read

  /// Adds the questions of another opinion of the same completion.
  void count(const Opinion& other);
};

/// How a judge is heard.
struct Hearing {
  int votes = 1;             ///< greedy if 1; else the majority of so many sampled answers
  double temperature = 0.7;  ///< of these
  bool by_likelihood = false;
  bool swap = false;   ///< the completion first, the reference second
  bool ahead = false;  ///< of a chat model: all questions at once, for each verdict that those before may bring
};

/// What a judge may be asked about, in one conversation or apart.
struct Scope {
  bool steps = true, reply = true;
  bool apart = false;  ///< each question in a conversation of its own, which knows nothing of the others
};

class Judge {
 public:
  virtual ~Judge() = default;

  /// Of each group its cases' opinions. What one of them gets does not depend on the others.
  virtual std::vector<std::vector<Opinion>> judge(std::span<const JudgedGroup> groups) const = 0;
};

/// What a judge is asked of a completion, and what its answers mean. Four questions: of the three steps, and of the
/// reply.
class Questions {
 public:
  static constexpr size_t count = 4, reply = 3;

  Questions(JudgeFormat form, Scope scope, Hearing hearing)
      : form_(std::move(form)), scope_(scope), hearing_(hearing) {}

  const JudgeFormat& form() const { return form_; }
  const Scope& scope() const { return scope_; }
  const Hearing& hearing() const { return hearing_; }
  /// How often everything is asked.
  int votes() const { return hearing_.by_likelihood ? 1 : hearing_.votes; }

  bool asks(const JudgeInput& one, size_t question) const;
  std::string text(const JudgedGroup& group, const JudgeInput& one, size_t question) const;
  const empathy::Answers& words(size_t question) const;

  /// Enters an answer, and the number of its word; nothing: it could not be read. What was weighed before stays.
  void take(Opinion& opinion, size_t question, std::optional<size_t> word, const std::string& answer) const;
  /// Enters how likely each word is.
  void weigh(Opinion& opinion, size_t question, const std::vector<double>& log_probs) const;

  /// What most of them say.
  static Opinion majority(const std::vector<Opinion>& votes);

 private:
  JudgeFormat form_;
  Scope scope_;
  Hearing hearing_;
};

}  // namespace compeer::judging
