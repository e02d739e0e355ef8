#pragma once
#include <optional>
#include <string>
#include <vector>

#include "judging/judge.h"

namespace compeer::judging {

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
