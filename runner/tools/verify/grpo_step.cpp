// Checks whole updates of a small model, using the trainer's own parts.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "inference/open_model.h"
#include "tools/verify/grpo.h"
#include "tools/verify/values.h"
#include "train/update/learning.h"
#include "train/update/optimizer.h"

namespace compeer::verify {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Tolerances of log-probabilities and losses. After an update they are wider, because AdamW amplifies rounding errors
// of the smallest gradients (see values.cpp).
constexpr double tolerance = 1e-5, tolerance_after = 1e-4, metric_tolerance = 1e-5;

// Returns the folder of a model that the file names: next to the file, or next to its folder.
fs::path model_folder(const fs::path& file, const std::string& name) {
  for (const auto& at : {file.parent_path(), file.parent_path().parent_path()}) {
    if (fs::exists(at / name / "config.json")) return at / name;
  }
  throw Error(file.string(), "names the model '" + name + "', which is neither next to the file nor next to its folder",
              "", Exit::data);
}

inference::ModelOptions trainable(const fs::path& folder) {
  return {.folder = folder, .precision = "float32", .frozen = false, .rotary_precision = "float32"};
}

// Calls the model directly, without a plugin's guard.
class UnguardedPass : public train::PolicyPass {
 public:
  UnguardedPass(rollout::Policy& policy, double temperature) : policy_(policy), temperature_(temperature) {}
  kernels::TokenLogprobs forward(const train::PackedBatch& batch) override {
    return train::log_probs(policy_, batch, temperature_);
  }

 private:
  rollout::Policy& policy_;
  const double temperature_;
};

class StepCase {
 public:
  StepCase(const fs::path& file, const json& golden, std::vector<Check>& checks)
      : common_(golden.at("common")),
        checks_(checks),
        model_(trainable(model_folder(file, common_.at("policy")))),
        pass_(*model_.policy, temperature()),
        parameters_(model_.policy->model),
        initial_(parameters_.weights().begin(), parameters_.weights().end()) {
    read_groups();
    inference::OpenModel reference(trainable(model_folder(file, common_.at("reference"))));
    const at::NoGradGuard no_grad;
    for (auto& group : groups_)
      group.reference = train::log_probs(*reference.policy, group.batch, temperature()).log_prob;
    compare_rows("ref_logprobs", common_.at("ref_logprobs"), [](const auto& group) { return group.reference; });
    compare_now("logprobs", common_.at("logprobs"), tolerance);
    compare_rows("entropies", common_.at("entropies"),
                 [&](const auto& group) { return pass_.forward(group.batch).entropy; });
  }

  void run(const json& one) {
    name_ = fmt::format("{} {} beta {}", one.at("loss_type").get<std::string>(),
                        one.at("importance_sampling_level").get<std::string>(), one.at("beta").get<double>());
    json settings = common_;
    settings.update(one);
    const auto objective = reference_objective(settings);
    start_again();
    differentiate(objective, step_of(settings, objective), one);
    update(one);
  }

 private:
  double temperature() const { return common_.at("temperature"); }

  void read_groups() {
    const auto size = common_.at("group_size").get<size_t>();
    const auto& completions = common_.at("completions");
    prompts_.resize(common_.at("prompts").size());
    for (size_t g = 0; g < prompts_.size(); ++g) {
      prompts_[g].index = static_cast<int64_t>(g);
      prompts_[g].prompt = common_.at("prompts")[g].get<std::vector<int32_t>>();
      for (size_t row = g * size; row < (g + 1) * size; ++row) {
        rollout::Sample sample;
        sample.tokens = completions.at(row).get<std::vector<int32_t>>();
        sample.log_probs = common_.at("old_logprobs").at(row).get<std::vector<float>>();
        sample.entropies = common_.at("entropies").at(row).get<std::vector<float>>();
        sample.log_probs.resize(sample.tokens.size());
        sample.entropies.resize(sample.tokens.size());
        sample.finished = true;
        prompts_[g].samples.push_back(sample);
      }
      auto& group = groups_.emplace_back(prompts_[g], false);
      for (size_t row = g * size; row < (g + 1) * size; ++row) {
        group.rewards.push_back(common_.at("rewards").at(row));
        group.advantages.push_back(common_.at("advantages").at(row));
      }
    }
  }

  // Compares token values [targets] with rows [B, T] that are padded at the end.
  template <class Values>
  void compare_rows(const std::string& name, const json& rows, Values values_of, double most = tolerance) {
    Largest largest;
    size_t row = 0;
    for (const auto& group : groups_) {
      const at::Tensor values = values_of(group);
      int64_t at = 0;
      for (const int64_t length : group.batch.lengths) {
        const json& reference = rows.at(row++);
        for (int64_t t = 0; t < length; ++t) {
          const double theirs = reference.at(static_cast<size_t>(t));
          largest.take(std::abs(values[at++].item<double>() - theirs) / std::max(1.0, std::abs(theirs)));
        }
      }
    }
    checks_.push_back(largest.check(name, most, "values, relative above 1"));
  }

  void compare_now(const std::string& name, const json& rows, double most) {
    const at::NoGradGuard no_grad;
    compare_rows(
        name, rows, [&](const auto& group) { return pass_.forward(group.batch).log_prob; }, most);
  }

  grpo::StepContext step_of(const json& settings, const grpo::Objective& objective) const {
    double completions = 0, tokens = 0;
    for (const auto& group : groups_) {
      for (const double count : group.unmasked_tokens()) completions += 1, tokens += count;
    }
    return {
        {completions, reference_tokens(settings, objective, tokens), settings.at("max_completion_length")}, 0, tokens};
  }

  void start_again() {
    std::copy(initial_.begin(), initial_.end(), parameters_.weights().begin());
    model_.policy->parameters_changed();
  }

  void differentiate(const grpo::Objective& objective, const grpo::StepContext& step, const json& one) {
    gradient_.assign(initial_.size(), 0.0f);
    std::vector<float> room(initial_.size());
    std::array<double, train::UpdateStats::n_sums> sums{};
    for (const auto& group : groups_) {
      const auto stats = train::accumulate_gradient(pass_, parameters_, group, {objective, step, {}}, {room});
      train::add(gradient_, room);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += stats.sum[i];
    }
    compare(".loss", sums[train::UpdateStats::loss], one.at("loss"), tolerance);
    compare_token_losses(objective, step, one.at("per_token_loss"));
    compare_metrics(objective, sums, one.at("metrics"));
    checks_.push_back(compare_norms(gradients(), one.at("grad_norms")));
    checks_.back().name = name_ + ".grad_norms";
  }

  void compare_token_losses(const grpo::Objective& objective, const grpo::StepContext& step, const json& rows) {
    const at::NoGradGuard no_grad;
    Largest largest;
    size_t row = 0;
    for (const auto& group : groups_) {
      const auto now = pass_.forward(group.batch);
      const auto ours = grpo::group_loss(group.completions(now.log_prob, now.entropy), objective, step).per_token;
      for (int64_t i = 0; i < ours.size(0); ++i) {
        const json& reference = rows.at(row++);
        const int64_t places = ours.size(1) == 1 ? 1 : group.batch.lengths[static_cast<size_t>(i)];
        for (int64_t t = 0; t < places; ++t) {
          const double theirs = reference.at(static_cast<size_t>(t));
          largest.take(std::abs(ours[i][t].item<double>() - theirs) / std::max(1.0, std::abs(theirs)));
        }
      }
    }
    checks_.push_back(largest.check(name_ + ".per_token_loss", tolerance, "values, relative above 1"));
  }

  void compare_metrics(const grpo::Objective& objective, const std::array<double, train::UpdateStats::n_sums>& sums,
                       const json& metrics) {
    using train::UpdateStats;
    const double low = sums[UpdateStats::clipped_low] / sums[UpdateStats::ratios],
                 high = sums[UpdateStats::clipped_high] / sums[UpdateStats::ratios];
    Largest largest;
    for (const auto& [name, value] :
         {std::pair{"clip_ratio/low_mean", low}, {"clip_ratio/high_mean", high}, {"cispo_clip_ratio", high}}) {
      if (metrics.contains(name)) largest.compare(value, metrics.at(name));
    }
    if (objective.kl == 0 && largest.count() > 0)
      checks_.push_back(largest.check(name_ + ".metrics", metric_tolerance));
  }

  std::vector<Parameter> gradients() const {
    std::vector<Parameter> all;
    const auto flat = at::from_blob(const_cast<float*>(gradient_.data()), {static_cast<int64_t>(gradient_.size())});
    int64_t first = 0;
    for (const Parameter& p : model_.policy->model.parameters()) {
      all.push_back({p.name, flat.slice(0, first, first + p.value.numel())});
      first += p.value.numel();
    }
    return all;
  }

  void compare(const std::string& what, double ours, double reference, double most) {
    checks_.push_back(check(name_ + what, std::abs(ours - reference), most, fmt::format("{:.9g}", reference)));
  }

  void update(const json& one) {
    const json& o = common_.at("optimizer");
    train::Optimizer optimizer({.beta1 = o.at("betas").at(0),
                                .beta2 = o.at("betas").at(1),
                                .epsilon = o.at("eps"),
                                .weight_decay = o.at("weight_decay"),
                                .max_grad_norm = o.at("max_grad_norm")},
                               o.at("lr"), 1, parameters_.size());
    const double found = train::norm_of(gradient_);
    optimizer.step(gradient_, found, parameters_.weights());
    model_.policy->parameters_changed();
    const double norm = one.at("grad_norm_before_clip");
    checks_.push_back(
        check(name_ + ".grad_norm_before_clip", std::abs(found - norm) / norm, gradient_tolerance, "relative"));
    compare_parameters(name_, model_.policy->model.parameters(), one.at("parameters_after"), o.at("lr"), 1, checks_);
    compare_now(name_ + ".logprobs_after", one.at("logprobs_after"), tolerance_after);
  }

  const json common_;
  std::vector<Check>& checks_;
  inference::OpenModel model_;
  UnguardedPass pass_;
  train::Parameters parameters_;
  const std::vector<float> initial_;
  train::Groups prompts_;
  std::vector<train::LearningGroup> groups_;
  std::vector<float> gradient_;
  std::string name_;
};

}  // namespace

std::vector<Check> verify_grpo_step(const fs::path& file, const VerifyOptions&) {
  return reading(file, [&] {
    const json golden = read_reference(file);
    std::vector<Check> checks;
    StepCase step(file, golden, checks);
    for (const json& one : golden.at("runs")) step.run(one);
    return checks;
  });
}

}  // namespace compeer::verify
