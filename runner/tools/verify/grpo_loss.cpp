// compeer verify: policy losses and their gradients, one small batch a file.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "grpo/correction.h"
#include "grpo/masks.h"
#include "tools/verify/grpo.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

// References are float64 with 13 digits. SAPO's temperatures and all metrics went through float32 there.
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

  // What the step is, of which this batch is one of equal parts.
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

  // Relative to values above 1. What is null there is not compared, nor is padding.
  void compare(const std::string& what, const at::Tensor& ours, const json& reference) {
    if (reference.is_null()) return;
    auto theirs = reference_numbers(reference);
    if (ours.numel() != theirs.numel()) throw Error(name_, "has another shape in " + what, "", Exit::data);
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
      compare("off_policy_mask", grpo::near_policy(c_, *objective_.off_policy), out_.value("off_policy_mask", json()));
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
    compare_metric("clip_ratio/low_mean", cut.low / cut.places);
    compare_metric("clip_ratio/high_mean", cut.high / cut.places);
    compare_metric("clip_ratio/region_mean", (cut.low + cut.high) / cut.places);
    compare_metric("cispo_clip_ratio", cut.high / cut.places);
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
