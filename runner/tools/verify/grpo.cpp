// Checks of advantages, and of policy losses with their gradients (one small batch per file).
#include "tools/verify/grpo.h"

#include <ATen/ATen.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "grpo/advantage.h"
#include "grpo/objective.h"
#include "spec/tables.h"

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

// Returns the number, or `standard` if it is missing or null.
double number_or(const json& settings, const char* key, double standard) {
  const json value = settings.value(key, json());
  return value.is_null() ? standard : value.get<double>();
}

// Translates setting names of the other trainer to ours. Its range [1 - low, 1 + high] limits CISPO's weights only from
// above.
json translated(const json& theirs) {
  json ours = json::object();
  const auto take = [&](const char* from, const char* to) {
    if (const json value = theirs.value(from, json()); !value.is_null()) ours[to] = value;
  };
  take("loss_type", "loss");
  take("importance_sampling_level", "level");
  take("epsilon_low", "clip_low");
  take("epsilon_high", "clip_high");
  take("epsilon_high", "cispo_max");
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

constexpr double advantage_tolerance = 1e-7;  // the other trainer computes n / (n - 1) in float32

at::Tensor advantages_of(const json& one, double epsilon) {
  const auto rewards = reference_numbers(one.at("rewards"));
  const auto shaped = rewards.view({-1, one.at("group_size").get<int64_t>(), rewards.size(1)});
  const auto weights = reference_numbers(one.at("weights"));
  if (one.at("aggregation") == "normalize_then_sum") return grpo::normalize_then_sum(shaped, weights, epsilon);
  const std::string scale = one.at("scale_rewards");
  const json settings{{"divisor", scale == "group" ? "std" : scale}, {"epsilon", epsilon}};
  return grpo::advantages(grpo::weighted_sum(shaped, weights), spec::read_table<spec::GrpoTable>(settings).rule);
}

// References are float64 with 13 digits, but SAPO's temperatures and all metrics were computed in float32.
constexpr double value_tolerance = 1e-10, sapo_tolerance = 1e-7, metric_tolerance = 1e-6;

class LossCase {
 public:
  LossCase(std::string name, const json& data)
      : name_(std::move(name)),
        in_(data.at("inputs")),
        out_(data.at("outputs")),
        settings_(data.at("settings")),
        objective_(reference_objective(settings_)) {
    c_.mask = reference_numbers(in_.at("mask"));
    c_.log_prob = reference_numbers(in_.at("logprobs")).set_requires_grad(true);
    c_.old_log_prob =
        settings_.value("old_is_current", false) ? c_.log_prob.detach() : reference_numbers(in_.at("old_logprobs"));
    c_.reference = reference_numbers(in_.value("ref_logprobs", json()));
    c_.entropy = reference_numbers(in_.at("entropies")).set_requires_grad(true);
    c_.advantage = reference_numbers(in_.at("advantages")).unsqueeze(1);
    weigh();
    count();
  }

  void run(std::vector<Check>& checks) {
    const auto loss = grpo::group_loss(c_, objective_, step_, weight_);
    compare_values(loss);
    checks.push_back(
        values_.check(name_, objective_.loss == "sapo" ? sapo_tolerance : value_tolerance, "quantities: " + compared_));
    compare_metrics(loss);
    if (metrics_.count() > 0) checks.push_back(metrics_.check(name_ + ".metrics", metric_tolerance));
  }

 private:
  void weigh() {
    if (!in_.contains("sampler_correction")) return;
    const json& sampler = in_.at("sampler_correction");
    const std::string mode = sampler.at("mode");
    const grpo::Correction how{mode.starts_with("sequence"), mode.ends_with("mask"), 0.0, sampler.at("cap")};
    weight_ = grpo::correction(c_, reference_numbers(sampler.at("sampler_logprobs")), how);
    compare("sampler ratio", weight_, sampler.at("ratio"));
  }

  // Sets the totals of the step, of which this batch is one of several equal micro-batches.
  void count() {
    const double parts = settings_.value("gradient_accumulation_steps", 1.0);
    step_.size = {static_cast<double>(c_.mask.size(0)) * parts,
                  reference_tokens(settings_, objective_, c_.mask.sum().item<double>()),
                  settings_.at("max_completion_length")};
    const auto counted = c_.entropy.detach().masked_select(c_.mask.gt(0)).contiguous();
    const auto* entropy = counted.const_data_ptr<double>();
    step_.entropy_threshold =
        grpo::entropy_threshold({entropy, entropy + counted.numel()}, settings_.value("top_entropy_quantile", 1.0));
    step_.bonus_tokens = places().sum().item<double>() * parts;
  }

  at::Tensor places() const {
    return objective_.only_high_entropy ? grpo::high_entropy(c_, step_.entropy_threshold) : c_.mask;
  }

  // Adds the difference, relative for values above 1. Null references and padding are ignored.
  void compare(const std::string& what, const at::Tensor& ours, const json& reference) {
    if (reference.is_null()) return;
    auto theirs = reference_numbers(reference);
    if (ours.numel() != theirs.numel()) throw Error(name_, "has a different shape in " + what, "", Exit::data);
    theirs = theirs.reshape(ours.sizes());
    auto mine = ours.detach();
    if (mine.sizes() == c_.mask.sizes()) {
      mine = mine.masked_fill(c_.mask.eq(0), 0.0);
      theirs = theirs.masked_fill(c_.mask.eq(0), 0.0);
    }
    const auto known = theirs.isnan().logical_not();
    const auto error = ((mine - theirs).abs() / theirs.abs().clamp_min(1.0)).masked_select(known);
    if (error.numel() == 0) return;
    values_.take(error.max().item<double>());
    compared_ += (compared_.empty() ? "" : ", ") + what;
  }

  void compare_values(const grpo::GroupLoss& loss) {
    compare("loss", loss.value, out_.at("loss"));
    const auto gradients = torch::autograd::grad({loss.value}, {c_.log_prob, c_.entropy}, {}, true, false, true);
    compare("grad_logprobs", gradients[0], out_.at("grad_logprobs"));
    if (gradients[1].defined()) compare("grad_entropies", gradients[1], out_.value("grad_entropies", json()));
    compare("per_token_loss", loss.per_token, out_.value("per_token_loss", json()));
    const auto capped = objective_.clip.delta > 0 ? loss.ratio.clamp_max(objective_.clip.delta) : loss.ratio;
    compare("ratio", capped, out_.value("ratio", json()));
    if (loss.kl.defined()) compare("per_token_kl", loss.kl, out_.value("per_token_kl", json()));
    if (objective_.only_high_entropy) compare("entropy_mask", places(), out_.value("entropy_mask", json()));
    if (objective_.off_policy)
      compare("off_policy_mask", grpo::off_policy_mask(c_, *objective_.off_policy),
              out_.value("off_policy_mask", json()));
    if (objective_.loss == "vespo")
      compare("phi", grpo::vespo_phi(c_, objective_.vespo, weight_), out_.value("phi", json()));
  }

  void compare_metric(const char* name, double ours) {
    const json reference = out_.value("metrics", json::object()).value(name, json());
    if (!reference.is_null()) metrics_.compare(ours, reference.get<double>());
  }

  double mean(const at::Tensor& values) const {
    return (grpo::row_sum(values.detach(), c_.mask).sum() / c_.mask.sum().clamp_min(1.0)).item<double>();
  }

  void compare_metrics(const grpo::GroupLoss& loss) {
    const auto cut = grpo::clipping(c_, loss.ratio, objective_);
    compare_metric("clip_ratio/low_mean", cut.low / cut.ratios);
    compare_metric("clip_ratio/high_mean", cut.high / cut.ratios);
    compare_metric("clip_ratio/region_mean", (cut.low + cut.high) / cut.ratios);
    compare_metric("cispo_clip_ratio", cut.high / cut.ratios);
    compare_metric("entropy", mean(c_.entropy));
    if (loss.kl.defined()) compare_metric("kl", mean(loss.kl));
  }

  const std::string name_;
  const json in_, out_, settings_;
  const grpo::Objective objective_;
  grpo::Completions c_;
  grpo::StepContext step_;
  at::Tensor weight_;
  Largest values_, metrics_;
  std::string compared_;
};

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
    throw Error("loss_type", "'" + loss + "' is not a supported loss", suggest(loss, names), Exit::data);
  for (const char* name : {"importance_sampling_level", "epsilon_low", "epsilon_high", "beta"}) settings.at(name);
  auto table = spec::read_table<spec::GrpoTable>(translated(settings));
  table.objective.only_high_entropy = table.high_entropy_share < 1;
  return table.objective;
}

double reference_tokens(const json& s, const grpo::Objective& objective, double counted) {
  const double parts = number_or(s, "gradient_accumulation_steps", 1.0);
  for (const char* name : {"dapo", "cispo", "vespo"}) {
    if (objective.loss == name)
      return s.at("num_items_in_batch").get<double>() * parts / number_or(s, "steps_per_generation", 1.0);
  }
  return counted * parts;
}

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

std::vector<Check> verify_grpo_loss(const std::filesystem::path& folder, const VerifyOptions&) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.insert(entry.path());
  }
  std::vector<Check> checks;
  for (const auto& file : files) {
    const json data = parse_json(read_file(file));
    if (!data.is_object() || !data.contains("inputs") || !data.contains("outputs")) continue;
    reading(file, [&] { LossCase(file.stem().string(), data).run(checks); });
  }
  return checks;
}

}  // namespace compeer::verify
