#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "evaluating/esc_eval/score.h"

namespace compeer::evaluating::esc_eval {

/// What judges said of one dialogue: by the judge's name.
using ScoresByJudge = std::map<std::string, DialogueScores>;

/// The name of a judge that a record does not name.
inline constexpr const char* only_judge = "judge";

/// Whether a record holds scores or answers already.
bool is_judged(const nlohmann::json& record);

/// Scores that a record holds: "answers" (texts, which are read), else "scores", or the dimensions themselves, as in
/// the published files. Each by dimension, or by judge and then by dimension. A number from 0 to 4 is a score, a text
/// is read as an answer; anything else, -1 among it, is none, and so is a dimension that is missing.
struct RecordedScores {
  ScoresByJudge judged;
  std::string refusal;  ///< "" or why nothing of it can be read: a name that is no dimension
};
RecordedScores recorded(const nlohmann::json& record, Parser parser);

/// {judge: {dimension: score, -1 for none}}
nlohmann::json to_json(const ScoresByJudge& judged);

}  // namespace compeer::evaluating::esc_eval
