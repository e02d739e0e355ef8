#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::annotate {

/// Returns a record with two completions to be compared, as a line of a JSON Lines file. Its texts contain the name of
/// the completion; `more` is appended to them.
inline std::string record_line(const std::string& id, const std::string& more = "") {
  nlohmann::json record{{"id", id}, {"dialogue", "d"}, {"language", "en"}};
  record["history"] = {{{"role", "user"}, {"text", "I lost my job." + more}}};
  for (const std::string name : {"one", "two"}) {
    nlohmann::json candidate{{"reply", name + " replies in " + id + more}, {"model", "writer-" + name}};
    for (const char* step : {"history", "emotion", "strategy"}) candidate[step] = name + " thinks of " + step + more;
    record["candidates"].push_back(candidate);
  }
  return record.dump() + "\n";
}

/// Returns such a record without reasoning steps (`empty`: with empty ones). `picture`: image file of the first turn,
/// "" for none.
inline std::string pair_line(const std::string& id, const std::string& picture = "", bool empty = false) {
  auto record = nlohmann::json::parse(record_line(id));
  for (auto& candidate : record["candidates"]) {
    for (const char* step : {"history", "emotion", "strategy"}) {
      if (empty) candidate[step] = "";
      if (!empty) candidate.erase(step);
    }
  }
  if (!picture.empty()) record["history"][0]["pictures"] = {picture};
  return record.dump() + "\n";
}

}  // namespace compeer::annotate
