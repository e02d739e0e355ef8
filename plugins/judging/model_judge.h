#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "compeer/language_model.h"
#include "judging/judge.h"

namespace compeer::judging {

/// Counts the answers to one question in order to predict the next ones. Predictions affect only the cost.
class AnswerPredictor {
 public:
  /// Counts an answer by its index; empty: another answer.
  void note(std::optional<size_t> word) { ++(word ? said_.at(*word) : other_); }
  /// Returns the index of the most frequent answer.
  size_t most_frequent() const {
    return static_cast<size_t>(std::max_element(said_.begin(), said_.end()) - said_.begin());
  }
  /// Returns true if it is so frequent that at most 0.1 of the next `many` answers are expected to differ.
  bool is_reliable(size_t many) const;

 private:
  std::array<int64_t, 4> said_{};
  int64_t other_ = 0;
};

/// A judge on the program's own engine. Judges the completions of a dialogue in one batch: they share the KV cache of
/// the context, and each question follows the earlier verdicts in its conversation. Answers are parsed strictly. Keeps
/// a reference to `language_model`.
class ModelJudge : public Judge {
 public:
  ModelJudge(LanguageModel& language_model, Questions questions)
      : language_model_(language_model), questions_(std::move(questions)) {}

  std::vector<std::vector<Verdicts>> judge(std::span<const JudgedGroup> groups) const override;

 private:
  struct Inquiry;
  std::vector<Verdicts> judge(const JudgedGroup& group) const;
  std::vector<Verdicts> hear(const JudgedGroup& group, const Conversation& context, uint32_t draw) const;
  std::vector<Inquiry> inquiries_into(const JudgedGroup& group, const Conversation& context) const;

  LanguageModel& language_model_;
  Questions questions_;
  mutable std::array<AnswerPredictor, Questions::count> predictors_;  // affect the cost of answers, not the answers
};

}  // namespace compeer::judging
