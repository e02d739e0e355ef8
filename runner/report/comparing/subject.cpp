// Determines the subject and the circumstances of an evaluation from specs.
#include "report/comparing/evaluations.h"

#include <algorithm>
#include <array>

#include "report/drawing/numbers.h"
#include "report/runs/metrics.h"

namespace compeer::report {

using nlohmann::json;

namespace {

/// Settings that name a judge: model folders or chat models.
constexpr std::array judges = {"model", "chat", "outcome_model", "outcome_chat"};

/// Returns the setting that names the chat model under test, which is recognized by a further setting NAME_temperature;
/// "" if a judge is evaluated.
std::string tested_model(const json& settings) {
  for (const auto& [key, value] : settings.items()) {
    if (settings.contains(key + "_temperature")) return key;
  }
  return "";
}

/// True for the settings of the model under test; without one, for those of the judge and all others except plugins.
bool names_subject(const json& settings, const std::string& key) {
  if (const auto tested = tested_model(settings); !tested.empty()) return key.starts_with(tested);
  if (std::find(judges.begin(), judges.end(), key) != judges.end()) return true;
  return !(settings[key].is_object() && settings[key].contains("plugin")) && key != "plugin";
}

/// Returns the folder of a model, or a chat model's folder or name at an endpoint, or its plugin if it has neither.
std::string model_of(const json& setting) {
  if (setting.is_string()) return setting;
  for (const char* key : {"path", "model", "name", "plugin"}) {
    if (setting.is_object() && setting.contains(key) && setting[key].is_string()) return setting[key];
  }
  return "";
}

std::vector<std::string> paths_in(const json& settings) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& key) { paths.push_back(model_of(settings.value(key, json()))); };
  if (!settings.is_object()) return {};
  if (const auto tested = tested_model(settings); !tested.empty()) {
    add(tested);
  } else {
    for (const char* key : judges) add(key);
  }
  std::erase(paths, "");
  return paths;
}

}  // namespace

std::string decoding_of(const RunData& run) {
  const json temperature = run.setting("sampling", "temperature");
  if (run.greedy()) return "Greedy";
  return "Sampled, temperature " + compact(temperature.is_number() ? temperature.get<double>() : 1.0);
}

size_t subject_stage(const RunData& run, size_t stage) {
  for (size_t i = stage; i > 0; --i) {
    const bool plays = i == stage || measures(run.stages[i]);
    if (plays && !paths_in(run.stages[i].settings).empty()) return i;
  }
  return stage;
}

std::vector<std::string> subject_paths(const RunData& run, size_t stage) {
  if (stage == 0) return {run.start_model()};
  return paths_in(run.stages[subject_stage(run, stage)].settings);
}

json subject_settings(const RunData& run, size_t stage) {
  return json::array({run.stages[stage].settings, run.stages[subject_stage(run, stage)].settings});
}

json data_of(const RunData& run) {
  return {{"dataset", run.spec.value("dataset", json())}, {"splits", run.setting("data", "splits")}};
}

json circumstances(const RunData& run, size_t stage) {
  if (stage == 0)
    return {{"dataset", run.spec.value("dataset", json())},
            {"rewards", run.spec.value("rewards", json())},
            {"split", run.setting("evaluate", "split")},
            {"decoding", decoding_of(run)}};
  const json& settings = run.stages[stage].settings;
  json others = settings, before = json::array();
  for (const auto& [key, value] : settings.items()) {
    if (key == "label" || names_subject(settings, key)) others.erase(key);
  }
  for (size_t i = 1; i < stage; ++i) {
    if (!measures(run.stages[i])) before.push_back(run.stages[i].settings);
  }
  const size_t played = subject_stage(run, stage);
  json all = data_of(run);
  all["settings"] = others;
  all["played"] = played == stage ? json() : circumstances(run, played);
  all["stages"] = before;
  return all;
}

}  // namespace compeer::report
