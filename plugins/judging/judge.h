#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compeer/language_model.h"
#include "judging/form.h"

namespace compeer::judging {

/// What is to be judged: the steps that are there, and the reply, empty if there is none.
struct JudgeInput {
  StepTexts steps;
  InterpretedReply reply;
};
/// Of any completion, whatever its faults.
JudgeInput case_of(const std::string& completion);

/// A judge's opinion; nothing where it was not asked, or gave no answer that could be read.
struct Opinion {
  std::array<std::optional<double>, 3> steps;     ///< 1 right, -1 wrong; by likelihood: P(right) - P(wrong)
  std::optional<double> reply;                    ///< 1 equal to the reference or better, -1 worse
  std::optional<empathy::Preference> preference;  ///< first: the reference
  int unreadable = 0;                             ///< answers that could not be read
};

/// How a judge is heard.
struct Hearing {
  int votes = 1;             ///< greedy if 1; else the majority of so many sampled answers
  double temperature = 0.7;  ///< of these
  bool by_likelihood = false;
  bool swap = false;  ///< the completion first, the reference second
};

/// What a judge may be asked about, in one conversation or apart.
struct Scope {
  bool steps = true, reply = true;
  bool apart = false;  ///< each question in a conversation of its own, which knows nothing of the others
};

/// What is mostly answered to a question, so that it can be guessed.
class Habit {
 public:
  void note(std::optional<size_t> word) { ++(word ? said_.at(*word) : other_); }
  size_t mostly() const { return static_cast<size_t>(std::max_element(said_.begin(), said_.end()) - said_.begin()); }
  /// Is it, as a rule? So much so that of `many` that are asked together hardly one is answered otherwise.
  bool sure(size_t many) const;

 private:
  std::array<int64_t, 4> said_{};
  int64_t other_ = 0;
};

class Judge {
 public:
  Judge(LanguageModel& language_model, JudgeFormat form, Scope scope, Hearing hearing)
      : language_model_(language_model), form_(std::move(form)), scope_(scope), hearing_(hearing) {}

  /// Judges replies to one history, side by side: the context is read once, and every question sees the verdicts on
  /// those before it in the pages of its conversation. `reading`: how a reader took the history, shown beside each
  /// step.
  std::vector<Opinion> judge(const std::vector<Turn>& history, const InterpretedReply& reference,
                             const std::vector<JudgeInput>& cases, const StepTexts& reading = {}) const;

 private:
  struct Matter;
  struct Inquiry;
  std::vector<Opinion> hear(const Matter& matter, uint32_t draw) const;
  std::vector<Inquiry> inquiries_into(const Matter& matter) const;
  const empathy::Answers& words(size_t question) const;
  std::string text_of(const JudgeInput& one, const Matter& matter, size_t question) const;
  void take(Opinion& opinion, size_t question, const std::string& answer) const;
  void weigh(Opinion& opinion, size_t question, const std::vector<double>& log_probs) const;

  LanguageModel& language_model_;
  JudgeFormat form_;
  Scope scope_;
  Hearing hearing_;
  mutable std::array<Habit, 4> habits_;  // of answering each question; what is asked and answered does not depend on it
};

}  // namespace compeer::judging
