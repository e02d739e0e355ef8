// Counts of scored dialogues, and the figures computed from them.
#include "evaluating/sage/summary.h"

#include <algorithm>
#include <set>
#include <vector>

#include "stages/by_dialogue.h"

namespace compeer::evaluating::sage {

namespace {

using nlohmann::json;
using stages::interval_json;
using Numbers = std::map<std::string, double>;  // counts of one dialogue
constexpr const char *kind_is = "kind: ", *task_is = "task: ", *invalid_is = "invalid: ", *end_is = "ended by ";

std::string label_of(const json& record, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (!record.contains(key) || !record.at(key).is_string()) continue;
    std::string label = record.at(key);
    std::replace(label.begin(), label.end(), '\n', ' ');
    return label;
  }
  return "";
}

double of(const Numbers& dialogue, const std::string& name) {
  const auto found = dialogue.find(name);
  return found == dialogue.end() ? 0 : found->second;
}

std::vector<double> column(const std::vector<Numbers>& dialogues, const std::string& name) {
  std::vector<double> values;
  values.reserve(dialogues.size());
  for (const Numbers& dialogue : dialogues) values.push_back(of(dialogue, name));
  return values;
}

json mean(const std::vector<double>& values, const statistics::Resampling& how) {
  const auto over = [&](std::span<const size_t> rows) {
    double sum = 0;
    for (const size_t row : rows) sum += values[row];
    return sum / static_cast<double>(rows.size());
  };
  return interval_json(statistics::bootstrap(values.size(), over, how));
}

json share(const std::vector<double>& values, const statistics::Resampling& how) {
  json made = mean(values, how);
  made["count"] = std::count(values.begin(), values.end(), 1.0);
  return made;
}

json figures(const std::vector<Numbers>& dialogues, const statistics::Resampling& how) {
  return {{"n", dialogues.size()},
          {"mean_emotion", mean(column(dialogues, "emotion"), how)},
          {"success", share(column(dialogues, "success"), how)},
          {"failure", share(column(dialogues, "failure"), how)},
          {"rounds", mean(column(dialogues, "rounds"), how)}};
}

// Returns the figures of each group of dialogues. Groups are the counts whose names begin with `prefix`.
json grouped(const std::vector<Numbers>& dialogues, const std::string& prefix, const statistics::Resampling& how) {
  std::map<std::string, std::vector<Numbers>> groups;
  for (const Numbers& dialogue : dialogues) {
    for (const auto& [name, value] : dialogue) {
      if (name.starts_with(prefix)) groups[name.substr(prefix.size())].push_back(dialogue);
    }
  }
  json all = json::object();
  for (const auto& [name, members] : groups) all[name] = figures(members, how);
  return all;
}

std::string at_round(int64_t round) { return "round " + std::to_string(round); }

json curve(const std::vector<Numbers>& dialogues, const statistics::Resampling& how) {
  double longest = 0;
  for (const Numbers& dialogue : dialogues) longest = std::max(longest, of(dialogue, "rounds"));
  json all = json::array();
  for (int64_t round = 0; round < static_cast<int64_t>(longest); ++round) {
    std::vector<double> points;
    int64_t open = 0;
    for (const Numbers& dialogue : dialogues) {
      const auto here = dialogue.find(at_round(round));
      points.push_back(here == dialogue.end() ? of(dialogue, "emotion") : here->second);
      open += here != dialogue.end();
    }
    all.push_back(mean(points, how));
    all.back()["n"] = dialogues.size();
    all.back()["open"] = open;
  }
  return all;
}

// Returns the counts whose names begin with `prefix`, without it, and their sum.
std::pair<json, int64_t> tallied(const std::map<std::string, double>& counts, const std::string& prefix) {
  json all = json::object();
  int64_t sum = 0;
  for (const auto& [name, count] : counts) {
    if (!name.starts_with(prefix)) continue;
    all[name.substr(prefix.size())] = static_cast<int64_t>(count);
    sum += static_cast<int64_t>(count);
  }
  return {all, sum};
}

}  // namespace

void count(const json& record, const Trajectory& trajectory, Outcome& outcome) {
  const json alone = {{"id", record.at("id")}};
  const auto put = [&](const std::string& name, double value) {
    outcome.counts[stages::dialogue_count_name(alone, name)] = value;
  };
  put("emotion", static_cast<double>(trajectory.last()));
  put("rounds", static_cast<double>(trajectory.points.size()));
  put("success", trajectory.last() >= success_at);
  put("failure", trajectory.last() < failure_below);
  for (size_t i = 0; i < trajectory.points.size(); ++i)
    put(at_round(static_cast<int64_t>(i)), static_cast<double>(trajectory.points[i]));
  const std::string kind = label_of(record, {"main_cha", "character"}), task = label_of(record, {"task"});
  if (!kind.empty()) put(kind_is + kind, 1);
  if (!task.empty()) put(task_is + task, 1);
  outcome.counts[std::string(end_is) + name_of(trajectory.end)] = 1;
}

void count_invalid(const std::string& reason, Outcome& outcome) { outcome.counts[invalid_is + reason] = 1; }

json summary(const std::map<std::string, double>& counts, const statistics::Resampling& how) {
  const auto dialogues = stages::by_dialogue(counts);
  json all = figures(dialogues, how);
  all["columns"] = {"mean_emotion", "success", "failure", "rounds"};
  all["better"] = {{"higher", {"mean_emotion", "success"}}, {"lower", {"failure"}}};
  all["ends"] = tallied(counts, end_is).first;
  std::tie(all["reasons"], all["invalid"]) = tallied(counts, invalid_is);
  all["kinds"] = grouped(dialogues, kind_is, how);
  all["tasks"] = grouped(dialogues, task_is, how);
  all["curves"] = {{"emotion", curve(dialogues, how)}};
  return all;
}

}  // namespace compeer::evaluating::sage
