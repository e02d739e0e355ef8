#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::evaluating::sage {

/// Returns the record of a dialogue with these emotion points at the seeker's utterances. `answered`: it ends with a
/// reply of the supporter.
inline nlohmann::json recording(const std::string& id, const std::vector<int>& points, bool answered) {
  nlohmann::json history = nlohmann::json::array();
  for (size_t i = 0; i < points.size(); ++i) {
    nlohmann::json said = {{"role", "user"}, {"emotion-point", points[i]}};
    if (i > 0) said["planning"] = {{"change", points[i] - points[i - 1]}};
    history.push_back(said);
    if (i + 1 < points.size() || answered) history.push_back({{"role", "assistant"}, {"content", "why?"}});
  }
  return {{"id", id}, {"emo_point", points.back()}, {"history", history}};
}

}  // namespace compeer::evaluating::sage
