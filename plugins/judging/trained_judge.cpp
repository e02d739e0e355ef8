// Properties of a judge's model folder: the form in which it was trained, its weights and its measured accuracy.
#include "judging/trained_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/model_folder.h"

namespace compeer::judging {

namespace {

using nlohmann::json;

constexpr const char* prompts_texts = "prompts_sha256";

std::string view_of(const Scope& scope) { return !scope.separate ? "unifireward" : scope.steps ? "prm" : "orm"; }

std::string shown(const json& value) { return value.is_null() ? "unset" : value.dump(); }

// Returns a difference as text: "prompts: "a/en" in training, unset here".
std::string difference(const std::string& key, const json& trained, const json& asked) {
  const bool texts = key == prompts_texts;
  const auto name = texts ? "prompts" : key;
  const json &then = trained.at(name), &now = asked.at(name);
  const char* note = texts && !then.is_null() && !now.is_null() ? " (their texts differ)" : "";
  return fmt::format("{}: {} in training, {} here{}", name, shown(then), shown(now), note);
}

// Returns the findings of the stage that measured this judge.
json measured(const std::string& accuracy, const std::string& judge, const std::string& fingerprint) {
  const auto file = std::filesystem::path(accuracy) / "summary.json";
  const json summary = read_json_object(file);
  const auto stages =
      summary.contains("/details/stages"_json_pointer) ? summary.at("/details/stages"_json_pointer) : json();
  for (const json& stage : stages.is_array() ? stages : json::array()) {
    const json findings = stage.is_object() ? stage.value("findings", json()) : json();
    if (!findings.is_object()) continue;
    const json judges = findings.value("judges", json::array());
    if (std::find(judges.begin(), judges.end(), fingerprint) != judges.end()) return findings;
  }
  throw Error(file.string(), "contains no accuracy of the judge " + judge,
              "run the stage reward_accuracy with this judge, again after each training", Exit::data);
}

}  // namespace

json form_of(const JudgeFormat& format, const Scope& scope, const Reads& reads) {
  json form{{"view", view_of(scope)}, {"prompts", nullptr}, {prompts_texts, nullptr}, {"reads", reads.dialogue}};
  if (const auto texts = format.prompts_sha256(); !texts.empty())
    form["prompts"] = format.prompts_folder(), form[prompts_texts] = texts;
  if (scope.steps) form["step_words"] = format.verdicts().answers().answers();
  if (scope.reply)
    form["preference_words"] = format.preferences().answers().answers(), form["reads_replies"] = reads.replies;
  return {{"judge", form}};
}

bool check_form(const std::string& folder, const json& asked) {
  const auto file = std::filesystem::path(folder) / "form.json";
  if (!std::filesystem::exists(file)) return false;
  const json form = read_json_object(file), trained = form.value("judge", json());
  if (!trained.is_object()) return false;
  std::string differences;
  try {
    for (const auto& [key, now] : asked.at("judge").items()) {
      if (key == "prompts" || !trained.contains(key) || trained.at(key) == now) continue;
      differences += (differences.empty() ? "" : "; ") + difference(key, trained, asked.at("judge"));
    }
  } catch (const json::exception& error) {
    throw Error(file.string(), fmt::format("is not the form of a judge: {}", error.what()), "", Exit::data);
  }
  const json base = form.value("base", json());
  if (base.is_object() && holds_adapter(folder)) {
    const auto now = base_model(folder);
    if (base.value("weights_mark", "") != weights_fingerprint(now))
      differences += fmt::format("{}base: {} in training, other weights in {} here", differences.empty() ? "" : "; ",
                                 shown(base.value("path", json())), shown(now.string()));
  }
  if (differences.empty()) return true;
  throw Error(
      folder, "this judge was trained with other settings: " + differences,
      "use the settings of the training (a reward's 'reads' is its 'reader', label_choice has none), or train a "
      "judge with these",
      Exit::spec);
}

std::string weights_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& file : entries_of(folder)) {
    if (file.path().extension() == ".safetensors") files.emplace(file.path().filename(), sha256_file(file.path()));
  }
  if (files.empty()) throw Error(folder, "contains no weights (*.safetensors)", "name a model's folder", Exit::data);
  std::string all;
  for (const auto& [name, hash] : files) all += name + " " + hash + "\n";
  return sha256(all);
}

void require_recall(const std::string& accuracy, const std::string& judge, const std::string& fingerprint,
                    double floor) {
  const json findings = measured(accuracy, judge, fingerprint);
  for (size_t step = 0; step < step_names.size(); ++step) {
    const auto found =
        findings.value(json::json_pointer(fmt::format("/{}/false_recall/value", step_names[step])), json());
    if (!found.is_number() || found.get<double>() >= floor) continue;
    throw Error(
        judge,
        fmt::format("recall of wrong '{1}' steps is {0:.2f}, below min_recall = {2:.2f} (measured by {3})",
                    found.get<double>(), step_names[step], floor, accuracy),
        "train the judge better, or set min_recall = 0: the policy will then exploit errors that the judge misses",
        Exit::spec);
  }
}

}  // namespace compeer::judging
