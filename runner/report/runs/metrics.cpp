// Describes metrics: titles, topics, better directions; and reads figures from findings.
#include "report/runs/metrics.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace compeer::report {

namespace {

using nlohmann::json;

struct Known {
  std::string_view name, title, note;
  Topic topic;
  Better better = Better::unknown;
};

/// Reading order within each topic. A name with a leading slash matches the last part of a plugin's column.
using enum Topic;
constexpr std::array known_metrics = {
    Known{"reward", "reward", "weighted sum of the rewards, before reweighting", reward, Better::higher},
    Known{"reward_std", "reward spread", "standard deviation over the completions of a step", reward},
    Known{"group_std", "reward spread in a group",
          "mean over groups of the standard deviation within, after reweighting", reward},
    Known{"reweighted", "reweighted reward", "reward from which advantages are computed", redundancy},
    Known{"/s_in", "similarity in the group", "mean similarity of a completion to the others of its group", redundancy,
          Better::lower},
    Known{"/s_hi", "similarity to the history", "mean similarity of a completion to the history of the dialogue",
          redundancy, Better::lower},
    Known{"/tau", "length gate", "factor of the redundancy, by length of the completion", redundancy},
    Known{"distinct_1", "distinct-1", "distinct words / words", diversity, Better::higher},
    Known{"distinct_2", "distinct-2", "distinct word pairs / word pairs", diversity, Better::higher},
    Known{"self_bleu", "self-BLEU", "mean BLEU-4 of a completion with all others of the step as references", diversity,
          Better::lower},
    Known{"self_similarity", "self-similarity", "mean cosine of words and word pairs, over pairs in a group", diversity,
          Better::lower},
    Known{"entropy", "entropy", "mean entropy of the next token", diversity},
    Known{"length", "length", "tokens of a completion", diversity},
    Known{"truncated", "cut off", "share of completions cut off at the length limit", diversity, Better::lower},
    Known{"loss", "loss", "", optimisation},
    Known{"surrogate", "surrogate", "mean of ratio x unchanged reward; the loss without baseline and divisor",
          optimisation},
    Known{"kl", "KL divergence", "from the initial model, mean over tokens", optimisation},
    Known{"reference_kl", "KL of a completion", "from the initial model, summed over its tokens", optimisation},
    Known{"clip_share", "clipped", "share of ratios that were clipped", optimisation},
    Known{"clip_share_low", "clipped below", "where the advantage is negative", optimisation},
    Known{"clip_share_high", "clipped above", "where the advantage is positive", optimisation},
    Known{"advantage_mean", "mean advantage", "", optimisation},
    Known{"advantage_std", "spread of advantages", "standard deviation", optimisation},
    Known{"zero_variance", "groups without a gradient", "share of groups whose rewards are all equal after reweighting",
          optimisation},
    Known{"grad_norm", "gradient norm", "before clipping", optimisation},
    Known{"lr", "learning rate", "", optimisation},
    Known{"advantage_abs", "size of advantages", "mean absolute advantage", optimisation},
    Known{"ratio_distance", "ratio's distance from 1", "largest, over the tokens of a step", optimisation},
    Known{"rollout_trainer_max_diff", "rollout against trainer", "largest difference of a token's log-probability",
          optimisation},
    Known{"tokens", "tokens", "sampled or trained on in a step", optimisation},
    Known{"tokens_per_second", "tokens per second", "", optimisation},
    Known{"peak_memory", "peak memory", "MiB, of the rank with the highest peak", optimisation, Better::lower},
};

constexpr std::string_view held_out = "validation/";
constexpr std::array bookkeeping = {"step", "time", "wall", "elapsed", "epoch"};

const Known* find(const std::string& name) {
  const size_t slash = name.rfind('/');
  for (const auto& known : known_metrics) {
    if (known.name == name) return &known;
    if (known.name[0] == '/' && slash != std::string::npos && known.name == std::string_view(name).substr(slash))
      return &known;
  }
  return nullptr;
}

/// True for parts such as "unparsable", which count faults: their better direction is unknown.
bool speaks_of_faults(const std::string& name) {
  constexpr std::array words = {"error",  "unparsable", "unknown", "missing", "broken", "invalid",
                                "repeat", "fault",      "length",  "tokens",  "calls"};
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return name.find(word) != std::string::npos; });
}

Metric part_of_plugin(const std::string& name) {
  const size_t slash = name.find('/');
  Metric metric{.name = name, .title = name.substr(slash + 1), .from = name.substr(0, slash), .note = ""};
  metric.topic = metric.from == "seconds" ? Topic::timing : Topic::redundancy;
  if (metric.from == "rewards") {
    const size_t next = name.find('/', slash + 1);
    metric.from = name.substr(slash + 1, next == std::string::npos ? next : next - slash - 1);
    metric.title = next == std::string::npos ? metric.from : name.substr(next + 1);
    metric.topic = Topic::reward;
    const bool describes = metric.title.ends_with("_std") || metric.title.ends_with("_share");
    metric.better = speaks_of_faults(metric.title) || describes ? Better::unknown : Better::higher;
  }
  return metric;
}

/// Returns the description of a validation metric. Only sft validates the loss, for which lower is better.
Metric on_held_out_records(const std::string& name) {
  const Metric inner = describe(name.substr(held_out.size()));
  Metric metric{name, inner.from.empty() ? inner.title : inner.from + " " + inner.title, "validation", inner.note};
  if (name == "validation/best_step") metric.title = "best step";
  metric.topic = Topic::validation;
  metric.better = inner.name == "loss" ? Better::lower : inner.better;
  return metric;
}

/// Validation metrics keep their recorded order: the deciding one comes first.
size_t rank(const Metric& metric) {
  if (metric.topic == Topic::validation) return 0;
  const Known* known = find(metric.name);
  return known ? static_cast<size_t>(known - known_metrics.data()) : known_metrics.size();
}

constexpr const char* best_step_name = "validation/best_step";

bool wants_lower(const RunData& run, const std::string& metric) {
  const nlohmann::json::json_pointer better("/validation/better");
  if (run.spec.contains(better) && run.spec[better].is_string()) return run.spec[better] == "lower";
  return describe(metric).better == Better::lower;
}

std::optional<size_t> best_row(const std::vector<double>& looks, bool lower) {
  std::optional<size_t> row;
  for (size_t i = 0; i < looks.size(); ++i) {
    if (!std::isfinite(looks[i])) continue;
    if (!row || (lower ? looks[i] < looks[*row] : looks[i] > looks[*row])) row = i;
  }
  return row;
}

double at(const std::vector<double>* column, size_t row, double otherwise) {
  return column && row < column->size() ? (*column)[row] : otherwise;
}

bool is_figure(const json& value) { return value.is_object() && value.contains("value") && value.contains("low"); }

double number_in(const json& table, const char* key) {
  return table.contains(key) && table[key].is_number() ? table[key].get<double>() : missing;
}

Interval estimate_of(const json& figure) {
  const double n = number_in(figure, "n");
  return {number_in(figure, "value"), number_in(figure, "low"), number_in(figure, "high"),
          n >= 0 && n < 1e15 ? static_cast<int64_t>(n) : 0};
}

void gather(const json& findings, const std::string& path, int depth, std::map<std::string, Interval>& all) {
  for (const auto& [name, value] : findings.items()) {
    if (path.empty() && (name == "columns" || name == "curves" || name == "better")) continue;
    if (is_figure(value)) {
      all[path + name] = estimate_of(value);
    } else if (value.is_object() && depth < 8) {
      gather(value, path + name + "/", depth + 1, all);
    } else if (value.is_number()) {
      all[path + name] = {value.get<double>(), missing, missing, 0};
    }
  }
}

constexpr std::string_view reason_is = "reasons/";

bool is_reason(const std::string& path) { return path.starts_with(reason_is); }

bool has_figure(const json& findings, int depth = 0) {
  return std::any_of(findings.begin(), findings.end(), [&](const json& value) {
    return is_figure(value) || (value.is_object() && depth < 8 && has_figure(value, depth + 1));
  });
}

}  // namespace

Metric describe(const std::string& name) {
  if (name.starts_with(held_out)) return on_held_out_records(name);
  Metric metric = name.find('/') == std::string::npos ? Metric{.name = name, .title = name, .from = "", .note = ""}
                                                      : part_of_plugin(name);
  const Known* known = metric.topic == Topic::reward ? nullptr : find(name);
  if (!known && metric.from.empty()) known = find(name);
  if (!known) return metric;
  metric.title = known->title;
  metric.note = known->note;
  metric.topic = known->topic;
  metric.better = known->better;
  return metric;
}

std::string heading(Topic topic) {
  constexpr std::array names = {
      "Reward", "Validation",        "Redundancy", "Diversity and length", "Optimisation and speed",
      "Time",   "Other measurements"};
  return names[static_cast<size_t>(topic)];
}

std::vector<Metric> metrics_of(const std::vector<const RunData*>& runs) {
  std::vector<std::string> names;
  std::set<std::string> seen(bookkeeping.begin(), bookkeeping.end());
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  };
  for (const auto* run : runs) {
    for (const auto& name : run->recorded) add(name);
    for (const auto& [name, values] : run->columns) add(name);
    for (const auto& [name, estimate] : run->summary) add(name);
  }
  std::vector<Metric> metrics;
  for (const auto& name : names) metrics.push_back(describe(name));
  // The stable sort keeps the reward parts of one plugin together, in recorded order.
  std::stable_sort(metrics.begin(), metrics.end(), [](const Metric& a, const Metric& b) {
    return std::pair(a.topic, rank(a)) < std::pair(b.topic, rank(b));
  });
  return metrics;
}

std::vector<Metric> headline(const std::vector<const RunData*>& runs) {
  const auto all = metrics_of(runs);
  std::vector<Metric> chosen;
  const auto add = [&](auto fits) { std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), fits); };
  const bool rewarded =
      std::any_of(runs.begin(), runs.end(), [](auto* run) { return run->estimate("reward").known(); });
  add([&](const Metric& m) { return m.name == (rewarded ? "reward" : "loss"); });
  add([](const Metric& m) { return m.topic == Topic::reward && m.title == "quality"; });
  add([](const Metric& m) { return m.name.ends_with("/s_in") || m.name.ends_with("/s_hi") || m.name == "distinct_2"; });
  std::erase_if(chosen, [&](const Metric& metric) {
    const auto same = [&](const RunData* run) {
      const double mean = run->estimate(metric.name).mean;
      return !std::isfinite(mean) || mean == runs.front()->estimate(metric.name).mean;
    };
    return runs.size() > 1 && std::all_of(runs.begin(), runs.end(), same);
  });
  return chosen;
}

std::vector<Metric> validation_metrics(const std::vector<const RunData*>& runs) {
  auto metrics = metrics_of(runs);
  std::erase_if(metrics, [](const Metric& m) { return m.topic != Topic::validation || m.name == best_step_name; });
  return metrics;
}

double best_step(const RunData& run) { return run.estimate(best_step_name).mean; }

void summarize_validation(RunData& run) {
  const auto metrics = validation_metrics({&run});
  for (const auto& metric : metrics) run.summary.erase(metric.name);
  const auto* deciding = metrics.empty() ? nullptr : run.column(metrics[0].name);
  const auto row = deciding ? best_row(*deciding, wants_lower(run, metrics[0].name)) : std::nullopt;
  if (!row) return;
  for (const auto& metric : metrics)
    run.summary[metric.name] = {at(run.column(metric.name), *row, missing), missing, missing, 1};
  run.summary[best_step_name] = {at(run.column("step"), *row, static_cast<double>(*row + 1)), missing, missing, 1};
}

bool measures(const StageData& stage) { return stage.findings.contains("columns") || has_figure(stage.findings); }

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::map<std::string, Interval> figures_of(const json& findings) {
  std::map<std::string, Interval> all;
  if (findings.is_object()) gather(findings, "", 0, all);
  return all;
}

std::map<std::string, double> invalid_scores(const StageData& stage) {
  std::map<std::string, double> all;
  const auto found = figures_of(stage.findings);
  const bool reasons = std::any_of(found.begin(), found.end(), [](const auto& one) { return is_reason(one.first); });
  for (const auto& [path, figure] : found) {
    // A sum is omitted if its reasons are listed, or if records were dropped, which may be the reason.
    const bool told = path == "invalid" && (reasons || stage.left_out > 0);
    if (("/" + path + "/").find("/invalid/") != path.npos && !told) all[spaced(path)] = figure.mean;
    if (!is_reason(path) || stage.dropped.contains(path.substr(reason_is.size()))) continue;
    all["invalid: " + path.substr(reason_is.size())] = figure.mean;
  }
  std::erase_if(all, [](const auto& one) { return !(one.second > 0); });
  return all;
}

std::map<std::string, Better> directions_of(const json& findings) {
  std::map<std::string, Better> directions;
  const json told = findings.is_object() ? findings.value("better", json::object()) : json::object();
  if (!told.is_object()) return directions;
  for (const auto& [key, way] : {std::pair("higher", Better::higher), std::pair("lower", Better::lower)}) {
    if (!told.contains(key) || !told[key].is_array()) continue;
    for (const json& name : told[key]) {
      if (name.is_string()) directions.emplace(name, way);
    }
  }
  return directions;
}

Better better_of(const std::map<std::string, Better>& directions, const std::string& path) {
  const auto found = directions.find(path.substr(path.rfind('/') + 1));
  return found == directions.end() ? Better::unknown : found->second;
}

}  // namespace compeer::report
