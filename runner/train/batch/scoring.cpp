#include "train/batch/scoring.h"

#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/phase.h"

namespace compeer::train {

namespace {

constexpr double nobody = std::numeric_limits<double>::quiet_NaN();

at::Tensor score_of(RewardTerm& term, const Group& group) {
  try {
    return plugin::score(term.plugin, group, term.parts);
  } catch (const plugin::NotFinite&) {
    throw;  // names the completion
  } catch (const plugin::Failure& failure) {
    const auto completion = plugin::culprit(term.plugin, group, term.parts, failure);
    if (completion.empty()) throw;
    throw plugin::Failure(completion, failure);
  }
}

// Each reward, and the weighted sum of those that have an opinion. What is only looked at, with weight 0, has none,
// unless nothing else is there.
void judge(RunPlugins& plugins, const Group& group, ScoredGroup& scored) {
  const size_t count = group.completions.size();
  scored.values.assign(count, {nobody});
  scored.terms.assign(count, {});
  const auto& terms = plugins.rewards();
  const bool decided = std::any_of(terms.begin(), terms.end(), [](const RewardTerm& term) { return term.weight != 0; });
  for (RewardTerm& term : plugins.rewards()) {
    const comm::Phase here("score", term.plugin.identity().title());
    const auto table = score_of(term, group);
    const auto* value = table.const_data_ptr<float>();
    for (size_t i = 0; i < count; ++i, value += term.parts.size()) {
      const auto& completion = group.completions[i];
      const double own =
          grpo::shaped(static_cast<double>(value[0]), completion.tokens, completion.finished, term.shaping);
      double& sum = scored.values[i][0];
      if (!std::isnan(own) && (term.weight != 0 || !decided)) sum = (std::isnan(sum) ? 0.0 : sum) + term.weight * own;
      scored.terms[i].push_back(own);
      scored.values[i].insert(scored.values[i].end(), value, value + term.parts.size());
    }
  }
}

// Terms are finite, but with a large weight their sum may not be.
void check_sums(RunPlugins& plugins, const ScoredGroup& scored) {
  for (size_t i = 0; i < scored.values.size(); ++i) {
    if (std::isinf(scored.values[i][0]))
      throw plugin::NotFinite(plugins.rewards().front().plugin.identity(), "score",
                              "with its weight gives an infinite sum of rewards, of completion " + std::to_string(i),
                              "lower the weights of the rewards");
  }
}

// Only completions that were judged are reweighted; the others stay without a reward.
void reweight(RunPlugins& plugins, const Group& group, ScoredGroup& scored) {
  std::vector<Completion> completions;
  std::vector<double> sums;
  for (size_t i = 0; i < group.completions.size(); ++i) {
    if (std::isnan(scored.values[i][0])) continue;
    completions.push_back(group.completions[i]);
    sums.push_back(scored.values[i][0]);
  }
  std::vector<std::string> names;
  for (const auto& column : plugins.factors()) names.push_back(column.substr(column.find('/') + 1));
  const comm::Phase here("score", plugins.reweighting()->identity().title());
  at::Tensor table;
  const double* value = nullptr;
  if (!sums.empty()) {
    table =
        plugin::reweight(*plugins.reweighting(), {group.example, completions}, at::tensor(sums, at::kDouble), names);
    value = table.const_data_ptr<double>();
  }
  scored.rewards.clear();
  for (auto& values : scored.values) {
    const bool judged = !std::isnan(values[0]);
    for (size_t column = 0; column <= names.size(); ++column) values.push_back(judged ? *value++ : nobody);
    scored.rewards.push_back(values[values.size() - 1 - names.size()]);
  }
}

}  // namespace

std::vector<std::string> score_columns(RunPlugins& plugins) {
  std::vector<std::string> names{"reward"};
  for (const RewardTerm& term : plugins.rewards()) {
    for (const auto& part : term.parts) names.push_back("rewards/" + term.label + "/" + part);
  }
  names.push_back("reweighted");
  names.insert(names.end(), plugins.factors().begin(), plugins.factors().end());
  return names;
}

void leave_unjudged(RunPlugins& plugins, ScoredGroup& scored) {
  const size_t count = scored.completions.size();
  scored.values.assign(count, std::vector<double>(score_columns(plugins).size(), nobody));
  scored.terms.assign(count, std::vector<double>(plugins.rewards().size(), nobody));
  scored.rewards.assign(count, nobody);
}

void score(RunPlugins& plugins, uint64_t step, ScoredGroup& scored) {
  scored.completions.clear();
  for (const auto& sample : scored.samples) {
    scored.completions.push_back(
        {plugins.tokenizer().decode(sample.tokens), static_cast<int64_t>(sample.tokens.size()), sample.finished});
  }
  const Group group{scored.example, scored.completions};
  const auto subject = fmt::format("step {}, record {}", step, group.example.id);
  try {
    judge(plugins, group, scored);
    check_sums(plugins, scored);
    reweight(plugins, group, scored);
  } catch (const plugin::NotFinite& failure) {
    throw plugin::NotFinite(subject, failure);
  } catch (const plugin::Failure& failure) {
    if (failure.exit() == Exit::preempted) throw;  // no fault
    throw plugin::Failure(subject, failure);
  }
}

}  // namespace compeer::train
