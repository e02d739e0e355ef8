#include "report/comparing/tested.h"

#include "report/runs/figures.h"

namespace compeer::report {

using nlohmann::json;

namespace {

/// Settings that say who is tested: those of the supporter; where there is none, all but the plugins that take part.
bool names_subject(const json& settings, const std::string& key) {
  if (settings.contains("supporter")) return key.starts_with("supporter");
  return !(settings[key].is_object() && settings[key].contains("plugin")) && key != "plugin";
}

}  // namespace

size_t subject_stage(const RunData& run, size_t number) {
  for (size_t i = number; i > 0; --i) {
    const bool plays = i == number || is_trial(run.stages[i]);
    if (plays && !tested_paths(run.stages[i].settings).empty()) return i;
  }
  return number;
}

std::vector<std::string> tested_paths(const json& settings) {
  std::vector<std::string> paths;
  const auto add = [&](const json& table, const char* key) {
    if (table.is_object() && table.contains(key) && table[key].is_string()) paths.push_back(table[key]);
  };
  if (settings.contains("supporter")) {
    const json& supporter = settings["supporter"];
    for (const char* key : {"path", "model"}) add(supporter, key);
    if (paths.empty()) add(supporter, "plugin");
  } else {
    for (const char* key : {"model", "outcome_model"}) add(settings, key);
  }
  return paths;
}

json data_of(const RunData& run) {
  const json data = run.spec.value("data", json());
  return {{"dataset", run.spec.value("dataset", json())},
          {"splits", data.is_object() ? data.value("splits", json()) : json()}};
}

json circumstances(const RunData& run, size_t number) {
  json others = run.stages[number].settings;
  for (const auto& [key, value] : run.stages[number].settings.items()) {
    if (key == "label" || names_subject(run.stages[number].settings, key)) others.erase(key);
  }
  json before = json::array();
  for (size_t i = 1; i < number; ++i) {
    if (!is_trial(run.stages[i])) before.push_back(run.stages[i].settings);
  }
  const size_t played = subject_stage(run, number);
  json all = data_of(run);
  all["settings"] = others;
  all["played"] = played == number ? json() : circumstances(run, played);
  all["stages"] = before;
  return all;
}

}  // namespace compeer::report
