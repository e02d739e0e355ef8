// Every published case: values computed with another trainer in float64 (tests/golden/README.md).
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "grpo/advantage.h"
#include "grpo/correction.h"
#include "grpo/masks.h"
#include "grpo/objective.h"

namespace compeer::grpo {
namespace {

using nlohmann::json;
const std::filesystem::path kGolden = COMPEER_SOURCE_DIR "/tests/golden";

json read(const std::filesystem::path& file) {
  std::ifstream in(file);
  return json::parse(in);
}

void append(const json& value, std::vector<double>& numbers, std::vector<int64_t>& shape, size_t depth) {
  if (!value.is_array()) {
    numbers.push_back(value.is_null() ? std::nan("") : value.is_boolean() ? value.get<bool>() : value.get<double>());
    return;
  }
  if (shape.size() == depth) shape.push_back(static_cast<int64_t>(value.size()));
  for (const json& item : value) append(item, numbers, shape, depth + 1);
}

at::Tensor tensor(const json& value) {
  if (value.is_null()) return {};
  std::vector<double> numbers;
  std::vector<int64_t> shape;
  append(value, numbers, shape, 0);
  return at::tensor(numbers, at::kDouble).view(shape);
}

Objective objective_of(const json& s) {
  Objective o;
  o.loss = s.at("loss_type");
  o.level = level_from(s.at("importance_sampling_level"));
  o.clip.low = s.at("epsilon_low");
  o.clip.high = s.at("epsilon_high");
  o.clip.delta = s.at("delta").is_null() ? 0.0 : s.at("delta").get<double>();
  o.cispo.most = o.clip.high;
  o.sapo = {s.at("sapo_temperature_pos"), s.at("sapo_temperature_neg")};
  const json& v = s.at("vespo");
  o.vespo = {v.at("k_pos"), v.at("lambda_pos"), v.at("k_neg"), v.at("lambda_neg")};
  o.kl = s.at("beta");
  o.kl_times_ratio = s.at("use_bias_correction_kl");
  o.entropy_bonus = s.at("entropy_coef");
  o.only_high_entropy = s.at("top_entropy_quantile").get<double>() < 1.0;
  if (!s.at("off_policy_mask_threshold").is_null()) o.off_policy = s.at("off_policy_mask_threshold").get<double>();
  return o;
}

struct Case {
  explicit Case(const std::filesystem::path& file) : data(read(file)) {
    const json &in = data.at("inputs"), &s = data.at("settings");
    c.mask = tensor(in.at("mask"));
    c.log_prob = tensor(in.at("logprobs")).set_requires_grad(true);
    c.old_log_prob = s.at("old_is_current").get<bool>() ? c.log_prob.detach() : tensor(in.at("old_logprobs"));
    c.reference = tensor(in.at("ref_logprobs"));
    c.entropy = tensor(in.at("entropies")).set_requires_grad(true);
    c.advantage = tensor(in.at("advantages")).unsqueeze(1);
    objective = objective_of(s);
    if (in.contains("sampler_correction")) {
      const json& sampler = in.at("sampler_correction");
      const std::string mode = sampler.at("mode");
      weight = correction(c, tensor(sampler.at("sampler_logprobs")),
                          {mode.starts_with("sequence"), mode.ends_with("mask"), 0.0, sampler.at("cap")});
    }
    step = step_of(s);
  }

  // A micro-batch of a step of equal ones; the normaliser of dapo and its kin is given.
  Step step_of(const json& s) const {
    const double parts = s.at("gradient_accumulation_steps");
    Step result;
    result.size = {static_cast<double>(c.mask.size(0)) * parts, c.mask.sum().item<double>() * parts,
                   s.at("max_completion_length")};
    if (objective.loss == "dapo" || objective.loss == "cispo" || objective.loss == "vespo")
      result.size.tokens =
          s.at("num_items_in_batch").get<double>() * parts / s.at("steps_per_generation").get<double>();
    std::vector<double> entropies;
    const auto counted = c.entropy.detach().masked_select(c.mask.gt(0)).to(at::kFloat).to(at::kDouble).contiguous();
    const auto* e = counted.const_data_ptr<double>();
    entropies.assign(e, e + counted.numel());
    result.entropy_threshold = entropy_threshold(entropies, s.at("top_entropy_quantile"));
    result.bonus_tokens =
        (objective.only_high_entropy ? high_entropy(c, result.entropy_threshold) : c.mask).sum().item<double>() * parts;
    return result;
  }

  json data;
  Completions c;
  Objective objective;
  Step step;
  at::Tensor weight;
};

double difference(const at::Tensor& a, const json& expected) {
  const auto e = tensor(expected);
  return (a - e).abs().masked_fill(e.isnan(), 0.0).max().item<double>();  // null: not applicable
}

TEST(Golden, LossesAndGradients) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kGolden / "grpo_loss")) {
    if (entry.path().filename() == "index.json") continue;
    Case k(entry.path());
    const double tolerance = k.objective.loss == "sapo" ? 5e-8 : 1e-12;
    const auto result = group_loss(k.c, k.objective, k.step, k.weight);
    const json& out = k.data.at("outputs");
    EXPECT_NEAR(result.value.item<double>(), out.at("loss").get<double>(), tolerance) << entry.path().filename();
    const auto gradients = torch::autograd::grad({result.value}, {k.c.log_prob, k.c.entropy}, {}, false, false, true);
    EXPECT_LT(difference(gradients[0], out.at("grad_logprobs")), tolerance) << entry.path().filename();
    if (!out.at("grad_entropies").is_null()) {
      EXPECT_LT(difference(gradients[1], out.at("grad_entropies")), tolerance) << entry.path().filename();
    }
    const auto shown =
        result.per_token.size(1) == 1 ? result.per_token : result.per_token.masked_fill(k.c.mask.eq(0), 0.0);
    EXPECT_LT(difference(shown, out.at("per_token_loss")), tolerance * 10) << entry.path().filename();
    if (!out.at("per_token_kl").is_null()) {
      EXPECT_LT(difference(result.kl.masked_fill(k.c.mask.eq(0), 0.0), out.at("per_token_kl")), 1e-11)
          << entry.path().filename();
    }
    ++cases;
  }
  EXPECT_EQ(cases, 88);
}

TEST(Golden, Advantages) {
  const json all = read(kGolden / "grpo_advantages.json");
  for (const json& k : all.at("cases")) {
    const auto rewards = tensor(k.at("rewards"));
    const auto shaped = rewards.view({-1, k.at("group_size").get<int64_t>(), rewards.size(1)});
    const auto weights = tensor(k.at("weights"));
    const double epsilon = all.at("epsilon");
    at::Tensor a;
    if (k.at("aggregation") == "normalize_then_sum") {
      a = normalize_then_sum(shaped, weights, epsilon);
    } else {
      const std::string scale = k.at("scale_rewards");
      a = advantages(weighted_sum(shaped, weights),
                     {Baseline::group, divisor_from(scale == "group" ? "std" : scale), 1.0, 0.0, epsilon});
    }
    EXPECT_LT(difference(a.flatten(), k.at("advantages")), 1e-7) << k.at("name");
  }
}

}  // namespace
}  // namespace compeer::grpo
