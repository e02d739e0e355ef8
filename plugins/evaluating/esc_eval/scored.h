#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "evaluating/esc_eval/judged.h"
#include "statistics/bootstrap.h"

namespace compeer::evaluating::esc_eval {

/// From a score to the table's 0 to 100.
inline constexpr double of_hundred = 25;

/// What was counted of one dialogue.
struct ScoredDialogue {
  ScoresByJudge judged;
  std::map<std::string, std::string> groups;  ///< "languages": "en"
};
using Dialogues = std::vector<const ScoredDialogue*>;
using JudgeNames = std::vector<std::string>;

/// The scores that some judges gave some dialogues, as numbers from 0 to 100. `rows` are numbers of dialogues, which
/// may come again: a resample.
class Scored {
 public:
  Scored(const Dialogues& dialogues, const JudgeNames& judges);

  /// The mean over the judges of the mean of each one's valid scores; a judge without any does not count. NaN if none
  /// has.
  double figure(size_t dimension, std::span<const size_t> rows) const;
  double average(std::span<const size_t> rows) const;  ///< of the seven

  /// Dialogues with a valid score of any judge: in a dimension, in any.
  int64_t valid(size_t dimension) const;
  int64_t valid() const;

  /// {"n", "fluency": {value, low, high, n}, ..., "average": {...}}
  nlohmann::json figures(const statistics::Resampling& how) const;

 private:
  bool has(size_t dimension, size_t row) const;

  size_t n_;
  std::vector<std::array<std::vector<double>, dimensions.size()>> scores_;  // by judge; NaN for none
};

}  // namespace compeer::evaluating::esc_eval
