// Settings that had another name in the version before, by the section or the plugins that have them.
#include "spec/renamed.h"

#include <algorithm>
#include <vector>

#include "spec/dotted.h"

namespace compeer::spec {

namespace {

struct Renamed {
  std::string section;               // "" for settings of plugins
  std::vector<std::string> plugins;  // plugins that have the setting
  std::string before, now;
};

const std::vector<Renamed>& all_renamed() {
  static const std::vector<std::string> rewards{"orm", "prm", "unifireward"},
      judges{"consistency", "human_agreement", "label_choice", "orm", "prm", "reward_accuracy", "unifireward"};
  static const std::vector<Renamed> all = {
      {"grpo", {}, "together", "groups_per_reduction"},
      {"grpo", {}, "cispo_least", "cispo_min"},
      {"grpo", {}, "cispo_most", "cispo_max"},
      {"grpo", {}, "entropy_bonus_most", "entropy_bonus_max"},
      {"grpo", {}, "advantage_least", "advantage_min"},
      {"grpo", {}, "advantage_most", "advantage_max"},
      {"sft", {}, "together", "micro_batch"},
      {"data", {}, "together", "concurrency"},
      {"data", {}, "most_failed", "max_failed"},
      {"data", {}, "most_malformed", "max_malformed"},
      {"rewards", {}, "cut_off", "truncated_factor"},
      {"", judges, "by", "score_by"},
      {"", judges, "bare", "no_instructions"},
      {"", judges, "ahead", "speculate"},
      {"", rewards, "least_recall", "min_recall"},
      {"", rewards, "most_unreadable", "max_unreadable"},
      {"", {"redundancy"}, "echo", "ignore_user_words"},
      {"", {"redundancy"}, "slip", "min_token_probability"},
      {"", {"cluster"}, "k_most", "k_max"},
      {"", {"overlong"}, "most", "max_tokens"},
      {"", {"local"}, "together", "concurrency"},
  };
  return all;
}

// Returns the value of a renamed setting: words became true or false.
json present_value(const std::string& now, const json& value) {
  if (now == "ignore_user_words" && value == "left_out") return true;
  if (now == "ignore_user_words" && value == "counted") return false;
  return value;
}

}  // namespace

std::string present_name(const std::string& path, const json& table, const std::string& key) {
  const auto section = path.ends_with(']') ? parent(path) : path;
  const json plugin = table.is_object() ? table.value("plugin", json()) : json();
  const auto is_it = [&](const std::string& name) { return plugin == json(name); };
  for (const auto& one : all_renamed()) {
    const bool has =
        one.section.empty() ? std::any_of(one.plugins.begin(), one.plugins.end(), is_it) : one.section == section;
    if (has && one.before == key) return one.now;
  }
  return "";
}

Renames rename_settings(json& values, const std::string& path, const json* whole) {
  if (!whole) whole = &values;
  Renames renamed;
  const size_t items = whole->is_array() ? whole->size() : 0;
  for (size_t i = 0; values.is_array() && i < values.size(); ++i)
    renamed.merge(rename_settings(values[i], join(path, i), i < items ? &whole->at(i) : nullptr));
  if (!values.is_object()) return renamed;
  std::vector<std::string> keys;
  for (const auto& [key, value] : values.items()) keys.push_back(key);
  for (const auto& key : keys) {
    const bool known = whole->is_object() && whole->contains(key);
    renamed.merge(rename_settings(values[key], join(path, key), known ? &whole->at(key) : nullptr));
    const auto now = present_name(path, *whole, key);
    if (now.empty() || values.contains(now)) continue;
    values[now] = present_value(now, values[key]);
    values.erase(key);
    renamed[join(path, key)] = join(path, now);
  }
  return renamed;
}

void rename_paths(std::map<std::string, std::string>& origins, const Renames& renamed) {
  for (const auto& [before, now] : renamed) {
    if (auto node = origins.extract(before)) node.key() = now, origins.insert(std::move(node));
  }
}

}  // namespace compeer::spec
