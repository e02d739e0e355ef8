#include "verify/grpo.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

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

grpo::Objective reference_objective(const json& s) {
  const auto names = grpo::loss_names();
  grpo::Objective o;
  o.loss = s.at("loss_type").get<std::string>();
  if (std::find(names.begin(), names.end(), o.loss) == names.end())
    throw Error("loss_type", "'" + o.loss + "' is no loss here", suggest(o.loss, names), Exit::data);
  o.level = grpo::level_from(s.at("importance_sampling_level"));
  o.clip.low = s.at("epsilon_low");
  o.clip.high = s.at("epsilon_high");
  o.clip.delta = number_or(s, "delta", 0.0);
  o.cispo = {0.0, o.clip.high};
  o.sapo = {number_or(s, "sapo_temperature_pos", o.sapo.positive),
            number_or(s, "sapo_temperature_neg", o.sapo.negative)};
  if (s.contains("vespo")) {
    const json& v = s.at("vespo");
    o.vespo = {v.at("k_pos"), v.at("lambda_pos"), v.at("k_neg"), v.at("lambda_neg")};
  }
  o.kl = s.at("beta");
  o.kl_times_ratio = s.value("use_bias_correction_kl", false);
  o.entropy_bonus = number_or(s, "entropy_coef", 0.0);
  o.only_high_entropy = number_or(s, "top_entropy_quantile", 1.0) < 1.0;
  if (const json limit = s.value("off_policy_mask_threshold", json()); !limit.is_null())
    o.off_policy = limit.get<double>();
  return o;
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
