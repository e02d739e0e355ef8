#include "report/runs/metrics.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace compeer::report {

namespace {

struct Known {
  std::string_view name, title, note;
  Topic topic;
  Better better;
};

/// Reading order within each topic. Names with a slash at the front stand for the last part of a plugin's column.
constexpr std::array known_metrics = {
    Known{"reward", "reward", "weighted sum of the rewards, before reweighting", Topic::reward, Better::higher},
    Known{"reward_std", "reward spread", "standard deviation over the completions of a step", Topic::reward,
          Better::unknown},
    Known{"group_std", "reward spread in a group", "mean over groups of the standard deviation within", Topic::reward,
          Better::unknown},
    Known{"reweighted", "reweighted reward", "what advantages are computed from", Topic::redundancy, Better::unknown},
    Known{"/s_in", "similarity in the group", "mean similarity of a completion to the others of its group",
          Topic::redundancy, Better::lower},
    Known{"/s_hi", "similarity to the history", "mean similarity of a completion to what was said before",
          Topic::redundancy, Better::lower},
    Known{"/tau", "length gate", "how much of the redundancy counts, by length", Topic::redundancy, Better::unknown},
    Known{"distinct_1", "distinct-1", "distinct words / words", Topic::diversity, Better::higher},
    Known{"distinct_2", "distinct-2", "distinct word pairs / word pairs", Topic::diversity, Better::higher},
    Known{"self_bleu", "self-BLEU", "mean BLEU-4 of a completion with all others of the step as references",
          Topic::diversity, Better::lower},
    Known{"self_similarity", "self-similarity", "mean cosine of words and word pairs, over pairs in a group",
          Topic::diversity, Better::lower},
    Known{"entropy", "entropy", "mean entropy of the next token", Topic::diversity, Better::unknown},
    Known{"length", "length", "tokens of a completion", Topic::diversity, Better::unknown},
    Known{"truncated", "cut off", "share of completions cut off at the length limit", Topic::diversity, Better::lower},
    Known{"loss", "loss", "", Topic::optimisation, Better::unknown},
    Known{"surrogate", "surrogate", "mean of ratio x reward, as rewards are; the loss without baseline and divisor",
          Topic::optimisation, Better::unknown},
    Known{"kl", "KL divergence", "from the model that the run began with, mean over tokens", Topic::optimisation,
          Better::unknown},
    Known{"reference_kl", "KL of a completion", "from the model that the run began with, summed over its tokens",
          Topic::optimisation, Better::unknown},
    Known{"clip_share", "clipped", "share of ratios that were clipped", Topic::optimisation, Better::unknown},
    Known{"clip_share_low", "clipped below", "where the advantage is negative", Topic::optimisation, Better::unknown},
    Known{"clip_share_high", "clipped above", "where the advantage is positive", Topic::optimisation, Better::unknown},
    Known{"advantage_mean", "mean advantage", "", Topic::optimisation, Better::unknown},
    Known{"advantage_std", "spread of advantages", "standard deviation", Topic::optimisation, Better::unknown},
    Known{"zero_variance", "groups without a gradient", "share of groups whose rewards are all equal",
          Topic::optimisation, Better::unknown},
    Known{"grad_norm", "gradient norm", "before clipping", Topic::optimisation, Better::unknown},
    Known{"lr", "learning rate", "", Topic::optimisation, Better::unknown},
    Known{"advantage_abs", "size of advantages", "mean absolute advantage", Topic::optimisation, Better::unknown},
    Known{"ratio_distance", "ratio's distance from 1", "largest, over the tokens of a step", Topic::optimisation,
          Better::unknown},
    Known{"rollout_trainer_max_diff", "rollout against trainer", "largest difference of a token's log-probability",
          Topic::optimisation, Better::unknown},
    Known{"tokens", "tokens", "sampled or trained on in a step", Topic::optimisation, Better::unknown},
    Known{"tokens_per_second", "tokens per second", "", Topic::optimisation, Better::unknown},
    Known{"peak_memory", "peak memory", "MiB, of the rank with most", Topic::optimisation, Better::lower},
};

constexpr std::string_view validation = "validation/";
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

/// Parts such as "unparsable" count faults; whether few or many are wanted, the report can't know.
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

/// The same metric on held-out records. Only sft looks at the loss there, and there a lower one is better.
Metric on_held_out_records(const std::string& name) {
  const Metric inner = describe(name.substr(validation.size()));
  Metric metric{name, inner.from.empty() ? inner.title : inner.from + " " + inner.title, "validation", inner.note};
  if (name == "validation/best_step") metric.title = "best step";
  metric.topic = Topic::validation;
  metric.better = inner.name == "loss" ? Better::lower : inner.better;
  return metric;
}

/// Validation keeps the order in which it was recorded: the metric that decides comes first.
size_t rank(const Metric& metric) {
  if (metric.topic == Topic::validation) return 0;
  const Known* known = find(metric.name);
  return known ? static_cast<size_t>(known - known_metrics.data()) : known_metrics.size();
}

}  // namespace

Metric describe(const std::string& name) {
  if (name.starts_with(validation)) return on_held_out_records(name);
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
  switch (topic) {
    case Topic::reward:
      return "Reward";
    case Topic::validation:
      return "Validation";
    case Topic::redundancy:
      return "Redundancy";
    case Topic::diversity:
      return "Diversity and length";
    case Topic::optimisation:
      return "Optimisation and speed";
    case Topic::timing:
      return "Time";
    case Topic::other:
      break;
  }
  return "Other measurements";
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
  // Reward parts of one plugin keep together: a stable sort leaves them as they were recorded.
  std::stable_sort(metrics.begin(), metrics.end(), [](const Metric& a, const Metric& b) {
    return std::pair(a.topic, rank(a)) < std::pair(b.topic, rank(b));
  });
  return metrics;
}

std::vector<Metric> headline(const std::vector<const RunData*>& runs) {
  const auto all = metrics_of(runs);
  std::vector<Metric> chosen;
  const auto add = [&](auto fits) { std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), fits); };
  add([](const Metric& m) { return m.topic == Topic::reward && m.title == "quality"; });
  if (chosen.empty()) add([](const Metric& m) { return m.name == "reward"; });
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

}  // namespace compeer::report
