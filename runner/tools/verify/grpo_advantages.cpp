// compeer verify: from rewards to advantages.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include "grpo/advantage.h"
#include "tools/verify/grpo.h"
#include "train/grpo_settings.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

constexpr double advantage_tolerance = 1e-7;  // the other trainer computes n / (n - 1) in float32

at::Tensor advantages_of(const json& one, double epsilon) {
  const auto rewards = reference_numbers(one.at("rewards"));
  const auto shaped = rewards.view({-1, one.at("group_size").get<int64_t>(), rewards.size(1)});
  const auto weights = reference_numbers(one.at("weights"));
  if (one.at("aggregation") == "normalize_then_sum") return grpo::normalize_then_sum(shaped, weights, epsilon);
  const std::string scale = one.at("scale_rewards");
  const json settings{{"baseline", "group"},
                      {"divisor", scale == "group" ? "std" : scale},
                      {"divisor_value", 1.0},
                      {"divisor_floor", 0.0},
                      {"epsilon", epsilon}};
  const auto rule = train::advantage_rule_from(Settings(settings));
  return grpo::advantages(grpo::weighted_sum(shaped, weights), rule);
}

}  // namespace

std::vector<Check> verify_grpo_advantages(const std::filesystem::path& file, const VerifyOptions&) {
  return reading(file, [&] {
    const json all = read_reference(file);
    std::vector<Check> checks;
    for (const json& one : all.at("cases")) {
      const auto ours = advantages_of(one, all.at("epsilon")).flatten();
      const auto reference = reference_numbers(one.at("advantages"));
      const auto error = (ours - reference).abs() / reference.abs().clamp_min(1.0);
      checks.push_back(check(one.value("name", std::to_string(checks.size())), error.max().item<double>(),
                             advantage_tolerance, fmt::format("{} values, relative above 1", reference.numel())));
    }
    return checks;
  });
}

}  // namespace compeer::verify
