#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "compeer/language_model.h"
#include "judging/judge.h"

namespace compeer::judging {

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

/// A judge on our own engine. Completions of one dialogue are judged side by side: the context is read once, and every
/// question sees the verdicts on those before it in the pages of its conversation. Answers are read strictly.
class ModelJudge : public Judge {
 public:
  ModelJudge(LanguageModel& language_model, Questions questions)
      : language_model_(language_model), questions_(std::move(questions)) {}

  std::vector<std::vector<Opinion>> judge(std::span<const JudgedGroup> groups) const override;

 private:
  struct Inquiry;
  std::vector<Opinion> judge(const JudgedGroup& group) const;
  std::vector<Opinion> hear(const JudgedGroup& group, const Conversation& context, uint32_t draw) const;
  std::vector<Inquiry> inquiries_into(const JudgedGroup& group, const Conversation& context) const;

  LanguageModel& language_model_;
  Questions questions_;
  mutable std::array<Habit, Questions::count> habits_;  // what is asked and answered does not depend on it
};

}  // namespace compeer::judging
