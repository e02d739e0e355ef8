#include "evaluating/esc_eval/judged.h"

#include <algorithm>
#include <cmath>

namespace compeer::evaluating::esc_eval {

using nlohmann::json;

namespace {

constexpr int none = -1;  // as published

const Dimension* find(std::string_view key) {
  const auto found =
      std::find_if(dimensions.begin(), dimensions.end(), [&](const auto& one) { return one.key == key; });
  return found == dimensions.end() ? nullptr : &*found;
}

std::optional<int> score_of(const json& value, Parser parser) {
  if (value.is_string()) return read_score(value.get<std::string>(), parser);
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  const bool valid = number >= 0 && number <= best_score && number == std::floor(number);
  return valid ? std::optional(static_cast<int>(number)) : std::nullopt;
}

std::string known() {
  std::string names;
  for (const auto& dimension : dimensions) names += (names.empty() ? "" : ", ") + std::string(dimension.key);
  return names;
}

DialogueScores scores_of(const json& by_dimension, Parser parser, std::string& refusal) {
  DialogueScores scores;
  for (const auto& [key, value] : by_dimension.items()) {
    if (const auto* dimension = find(key)) {
      scores[static_cast<size_t>(dimension - dimensions.data())] = score_of(value, parser);
    } else {
      refusal = "'" + key + "' is no dimension (known: " + known() + ")";
    }
  }
  return scores;
}

// The dimensions, where they stand in the record itself.
json own_scores(const json& record) {
  json own = json::object();
  for (const auto& dimension : dimensions) {
    if (const auto found = record.find(dimension.key); found != record.end()) own[std::string(dimension.key)] = *found;
  }
  return own;
}

}  // namespace

// A card may have a field that is called like a dimension.
bool is_judged(const json& record) {
  const json own = own_scores(record);
  const bool scored = own.size() == dimensions.size() || std::any_of(own.begin(), own.end(), [](const json& value) {
                        return value.is_number() || score_of(value, Parser::strict);
                      });
  return record.contains("answers") || record.contains("scores") || scored;
}

RecordedScores recorded(const json& record, Parser parser) {
  const json all = record.contains("answers")  ? record.at("answers")
                   : record.contains("scores") ? record.at("scores")
                                               : own_scores(record);
  RecordedScores made;
  if (!all.is_object() || all.empty()) return {{}, "no scores by dimension, nor by judge and dimension"};
  const bool by_judge = std::all_of(all.begin(), all.end(), [](const json& value) { return value.is_object(); });
  if (!by_judge) {
    made.judged[only_judge] = scores_of(all, parser, made.refusal);
  } else {
    for (const auto& [judge, scores] : all.items()) made.judged[judge] = scores_of(scores, parser, made.refusal);
  }
  return made;
}

json to_json(const ScoresByJudge& judged) {
  json all = json::object();
  for (const auto& [judge, scores] : judged) {
    for (size_t d = 0; d < dimensions.size(); ++d)
      all[judge][std::string(dimensions[d].key)] = scores[d].value_or(none);
  }
  return all;
}

}  // namespace compeer::evaluating::esc_eval
