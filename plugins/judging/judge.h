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

}  // namespace compeer::judging
