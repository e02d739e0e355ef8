#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "compeer/language_model.h"
#include "judging/judge.h"

namespace compeer::judging {

// A judge in a model folder, for rewards and stages. A judge is a language model that is asked up to four questions
// about each completion: whether each of its three reasoning steps is right, and how its reply compares with a
// reference.

/// Predicts a judge's answers to one of the four questions from the answers counted so far. The engine processes the
/// next question together with the current one as if the prediction were the answer (speculation), and again if it was
/// not. Predictions therefore affect the cost, never the answers.
class AnswerPredictor {
 public:
  /// Counts an answer. `word`: its index among the possible answers; nullopt: a text that is none of them.
  void note(std::optional<size_t> word) { ++(word ? counts_.at(*word) : other_count_); }
  /// Returns the index of the most frequent possible answer; 0 before the first answer.
  size_t most_frequent() const {
    return static_cast<size_t>(std::max_element(counts_.begin(), counts_.end()) - counts_.begin());
  }
  /// Returns true if the most frequent answer is a good enough prediction: on average, at most 0.1 of the next `many`
  /// answers differ from it. False before the first answer.
  bool is_reliable(size_t many) const;

 private:
  std::array<int64_t, 4> counts_{};  // number of answers with each index
  int64_t other_count_ = 0;          // number of answers that are none of the possible ones
};

/// A judge on the program's own engine. Judges all completions of a dialogue in one batch: they share the KV cache of
/// the context, and each question follows the earlier questions and answers in its conversation. Answers are parsed
/// strictly. Keeps a reference to `language_model`.
class ModelJudge : public Judge {
 public:
  ModelJudge(LanguageModel& language_model, Questions questions)
      : language_model_(language_model), questions_(std::move(questions)) {}

  /// Returns the verdicts, indexed [group][completion].
  std::vector<std::vector<Verdicts>> judge(std::span<const JudgedGroup> groups) const override;

 private:
  struct Inquiry;  // one conversation about one completion, with the questions to ask
  // Returns the verdicts on each completion of the group, combined over all votes.
  std::vector<Verdicts> judge(const JudgedGroup& group) const;
  // Asks all questions once and returns the verdicts on each completion. `context`: the conversation before the
  // questions, which is copied. `sample_index`: number of the vote; different values give different sampled answers.
  std::vector<Verdicts> ask_once(const JudgedGroup& group, const Conversation& context, uint32_t sample_index) const;
  // Returns copies of `context` with the questions about each completion: one conversation for each completion, or one
  // for each question if the scope is `separate`.
  std::vector<Inquiry> inquiries_into(const JudgedGroup& group, const Conversation& context) const;

  LanguageModel& language_model_;
  Questions questions_;  // wording of the questions, their selection, and the number of votes
  mutable std::array<AnswerPredictor, Questions::count> predictors_;  // one for each question
};

}  // namespace compeer::judging
