#include "train/scoring.h"

#include <ATen/ops/empty.h>

#include "comm/phase.h"

namespace compeer::train {

std::vector<std::string> score_columns(Cast& cast) {
  std::vector<std::string> names{"reward"};
  for (const RewardTerm& term : cast.rewards()) {
    for (const auto& part : term.parts) names.push_back("rewards/" + term.label + "/" + part);
  }
  names.push_back("reweighted");
  names.insert(names.end(), cast.factors().begin(), cast.factors().end());
  return names;
}

void score(Cast& cast, ScoredGroup& scored) {
  scored.completions.clear();
  for (const auto& sample : scored.samples) {
    scored.completions.push_back(
        {cast.tokenizer().decode(sample.tokens), static_cast<int64_t>(sample.tokens.size()), sample.finished});
  }
  const size_t count = scored.samples.size();
  const Group group{scored.example, scored.completions};
  scored.values.assign(count, {0.0});
  scored.terms.assign(count, {});
  for (RewardTerm& term : cast.rewards()) {
    const comm::Phase here("score", term.plugin.identity().title());
    const auto table = plugin::score(term.plugin, group, term.parts);
    const auto* value = static_cast<const float*>(table.const_data_ptr());
    for (size_t i = 0; i < count; ++i, value += term.parts.size()) {
      scored.values[i][0] += term.weight * static_cast<double>(value[0]);
      scored.terms[i].push_back(static_cast<double>(value[0]));
      scored.values[i].insert(scored.values[i].end(), value, value + term.parts.size());
    }
  }
  at::Tensor rewards = at::empty({static_cast<int64_t>(count)}, at::kDouble);
  for (size_t i = 0; i < count; ++i) static_cast<double*>(rewards.data_ptr())[i] = scored.values[i][0];
  std::vector<std::string> names;
  for (const auto& column : cast.factors()) names.push_back(column.substr(column.find('/') + 1));
  const comm::Phase here("score", cast.reweighting()->identity().title());
  const auto table = plugin::reweight(*cast.reweighting(), group, rewards, names);
  const auto* value = static_cast<const double*>(table.const_data_ptr());
  scored.rewards.clear();
  for (size_t i = 0; i < count; ++i, value += 1 + names.size()) {
    scored.rewards.push_back(value[0]);
    scored.values[i].insert(scored.values[i].end(), value, value + 1 + names.size());
  }
}

}  // namespace compeer::train
