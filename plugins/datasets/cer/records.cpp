// Parses records of a data run.
#include "datasets/cer/records.h"

#include <stdexcept>

namespace compeer::cer {

namespace {

using nlohmann::json;

std::string named(const char* key) { return std::string("'") + key + "'"; }

const json& field(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) throw std::runtime_error("has no " + named(key));
  return object.at(key);
}

std::string text(const json& object, const char* key) {
  const json& value = field(object, key);
  if (!value.is_string()) throw std::runtime_error("has no text in " + named(key));
  return value.get<std::string>();
}

std::vector<std::string> pictures(const json& turn) {
  std::vector<std::string> names;
  if (!turn.contains("pictures")) return names;
  const json& list = turn.at("pictures");
  for (const json& name : list.is_array() ? list : json::array({nullptr})) {
    if (!name.is_string()) throw std::runtime_error("has 'pictures' that are not a list of files");
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::vector<Turn> turns(const json& list) {
  if (!list.is_array() || list.empty()) throw std::runtime_error("has no turns in 'history'");
  std::vector<Turn> all;
  for (const json& turn : list) all.push_back({text(turn, "role"), text(turn, "text"), pictures(turn)});
  return all;
}

empathy::Structured candidate(const json& record) {
  const json& list = field(record, "candidates");
  if (!list.is_array() || list.empty()) throw std::runtime_error("has no candidate");
  const json& one = list.front();
  return {text(one, "history"), text(one, "emotion"), text(one, "strategy"), text(one, "reply")};
}

std::array<bool, 3> steps(const json& list) {
  std::array<bool, 3> all{};
  const bool fits = list.is_array() && !list.empty() && list.front().is_array() && list.front().size() == all.size();
  for (size_t i = 0; fits && i < all.size(); ++i) {
    if (!list.front()[i].is_boolean()) throw std::runtime_error("has a step that is neither true nor false");
    all[i] = list.front()[i].get<bool>();
  }
  if (!fits) throw std::runtime_error("does not have three labels in 'steps'");
  return all;
}

}  // namespace

Record read(json record) {
  Record result;
  result.id = text(record, "id");
  result.history = turns(field(record, "history"));
  result.reference = text(record, "reference");
  result.candidate = candidate(record);
  result.labelled = record.contains("steps");
  if (result.labelled) {
    result.steps = steps(record.at("steps"));
    static const empathy::Preferences words;
    const auto preference = words.parse(text(record, "preference"));
    if (!preference) throw std::runtime_error("has an invalid preference: " + preference.refusal);
    result.preference = *preference.value;
  }
  result.all = std::move(record);
  return result;
}

}  // namespace compeer::cer
