#include "judging/trained_form.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/json.h"
#include "base/model_folder.h"

namespace compeer::judging {

namespace {

using nlohmann::json;

constexpr const char* prompts_texts = "prompts_sha256";

std::string view_of(const Scope& scope) { return !scope.apart ? "unifireward" : scope.steps ? "prm" : "orm"; }

std::string shown(const json& value) { return value.is_null() ? "unset" : value.dump(); }

// "prompts: "a/en" in training, unset here"
std::string difference(const std::string& key, const json& trained, const json& asked) {
  const bool texts = key == prompts_texts;
  const auto name = texts ? "prompts" : key;
  const json &then = trained.at(name), &now = asked.at(name);
  const char* note = texts && !then.is_null() && !now.is_null() ? " (their texts differ)" : "";
  return fmt::format("{}: {} in training, {} here{}", name, shown(then), shown(now), note);
}

}  // namespace

json form_of(const JudgeFormat& format, const Scope& scope, const Reads& reads) {
  json form{{"view", view_of(scope)}, {"prompts", nullptr}, {prompts_texts, nullptr}, {"reads", reads.dialogue}};
  if (const auto texts = format.prompts_sha256(); !texts.empty())
    form["prompts"] = format.prompts_folder(), form[prompts_texts] = texts;
  if (scope.steps) form["step_words"] = format.verdicts().answers().words();
  if (scope.reply)
    form["preference_words"] = format.preferences().answers().words(), form["reads_replies"] = reads.replies;
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
    if (base.value("weights_mark", "") != weights_mark(now))
      differences += fmt::format("{}base: {} in training, other weights in {} here", differences.empty() ? "" : "; ",
                                 shown(base.value("path", json())), shown(now.string()));
  }
  if (differences.empty()) return true;
  throw Error(folder, "is a judge that was trained to be asked in another form: " + differences,
              "set these here as in training (a reward's 'reads' is its 'reader', label_choice has none), or train a "
              "judge in this form",
              Exit::spec);
}

}  // namespace compeer::judging
