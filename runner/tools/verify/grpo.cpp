#include "tools/verify/grpo.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

#include "spec/core_schema.h"
#include "train/grpo_settings.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

void append(const json& value, std::vector<double>& numbers, std::vector<int64_t>& shape, size_t depth) {
  if (!value.is_array()) {
    numbers.push_back(value.is_null() ? std::nan("") : value.is_boolean() ? value.get<bool>() : value.get<double>());
    return;
  }
  if (shape.size() == depth) shape.push_back(static_cast<int64_t>(value.size()));
  for (const json& item : value) append(item, numbers, shape, depth + 1);
}

// A number that may be missing or null.
double number_or(const json& settings, const char* key, double standard) {
  const json value = settings.value(key, json());
  return value.is_null() ? standard : value.get<double>();
}

// Names of the other trainer -> ours. A range of [1 - low, 1 + high] there limits CISPO's weights from above alone.
json translated(const json& theirs) {
  json ours = json::object();
  for (const auto& field : spec::find_section("grpo")->parameter.fields) ours[field.name] = *field.default_value;
  const auto take = [&](const char* from, const char* to) {
    if (const json value = theirs.value(from, json()); !value.is_null()) ours[to] = value;
  };
  take("loss_type", "loss");
  take("importance_sampling_level", "level");
  take("epsilon_low", "clip_low");
  take("epsilon_high", "clip_high");
  take("epsilon_high", "cispo_most");
  take("delta", "delta");
  take("sapo_temperature_pos", "sapo_positive");
  take("sapo_temperature_neg", "sapo_negative");
  take("beta", "beta");
  take("use_bias_correction_kl", "kl_times_ratio");
  take("entropy_coef", "entropy_bonus");
  take("top_entropy_quantile", "high_entropy_share");
  take("off_policy_mask_threshold", "off_policy_limit");
  if (!theirs.contains("vespo")) return ours;
  for (const char* sign : {"positive", "negative"}) {
    const auto theirs_of = [&](const std::string& name) {
      return theirs.at("vespo").at(name + "_" + std::string(sign, 3));
    };
    ours[std::string("vespo_k_") + sign] = theirs_of("k");
    ours[std::string("vespo_lambda_") + sign] = theirs_of("lambda");
  }
  return ours;
}

}  // namespace

at::Tensor reference_numbers(const json& value) {
  if (value.is_null()) return {};
  std::vector<double> numbers;
  std::vector<int64_t> shape;
  append(value, numbers, shape, 0);
  int64_t all = 1;
  for (const int64_t size : shape) all *= size;
  if (all != static_cast<int64_t>(numbers.size())) throw Error("", "has rows of different lengths", "", Exit::data);
  return at::tensor(numbers, at::kDouble).view(shape);
}

grpo::Objective reference_objective(const json& settings) {
  const auto names = grpo::loss_names();
  const auto loss = settings.at("loss_type").get<std::string>();
  if (std::find(names.begin(), names.end(), loss) == names.end())
    throw Error("loss_type", "'" + loss + "' is no loss here", suggest(loss, names), Exit::data);
  for (const char* name : {"importance_sampling_level", "epsilon_low", "epsilon_high", "beta"}) settings.at(name);
  return train::objective_from(Settings(translated(settings)));
}

double reference_tokens(const json& s, const grpo::Objective& objective, double counted) {
  const double parts = number_or(s, "gradient_accumulation_steps", 1.0);
  for (const char* name : {"dapo", "cispo", "vespo"}) {
    if (objective.loss == name)
      return s.at("num_items_in_batch").get<double>() * parts / number_or(s, "steps_per_generation", 1.0);
  }
  return counted * parts;
}

}  // namespace compeer::verify
