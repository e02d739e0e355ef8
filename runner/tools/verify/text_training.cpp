// Checks the loss of a reference file's sequences, its gradient, and AdamW steps.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/adamw.h"
#include "tools/verify/text.h"
#include "tools/verify/values.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

class ReferenceTraining {
 public:
  ReferenceTraining(const TextCase& text, std::vector<Check>& checks)
      : text_(text),
        checks_(checks),
        model_({.folder = text.folder,
                .precision = "float32",
                .frozen = false,
                .rotary_precision = text.rotary_precision}),
        parameters_(model_.policy->model.parameters()),
        rows_(text.sequences, model_.policy->model.shape().vocabulary) {
    for (const Parameter& p : parameters_) initial_.push_back(p.value.detach().clone());
  }

  void run() {
    const double loss = differentiate();
    for (const char* key : {"loss", "loss_float64"}) {
      if (text_.golden.contains(key)) compare(key, loss, text_.golden.at(key), text_.log_prob_tolerance());
    }
    if (text_.golden.contains("grad_norm")) compare_norm("grad_norm", text_.golden.at("grad_norm"));
    if (text_.golden.contains("grad_norms"))
      checks_.push_back(compare_norms(gradients(), text_.golden.at("grad_norms")));
    compare_gradients();
    if (text_.golden.contains("adamw")) take_steps("adamw", text_.golden.at("adamw"));
    if (text_.golden.contains("adamw_clipped")) take_clipped_step("adamw_clipped", text_.golden.at("adamw_clipped"));
  }

 private:
  struct Moments {
    std::vector<float> m, v;
  };

  void compare(const std::string& name, double ours, double reference, double tolerance) {
    checks_.push_back(check(name, std::abs(ours - reference), tolerance, fmt::format("{:.9g}", reference)));
  }

  // Returns the mean of -log p over all predicted tokens, and computes its gradient in the parameters.
  double differentiate() {
    for (Parameter& p : parameters_) p.value.mutable_grad().reset();
    const auto hidden = at::index_select(model_.policy->model.forward(rows_.batch, nullptr), 0, rows_.predicting);
    const auto log_probs = kernels::token_logprobs(hidden, model_.policy->head, rows_.targets, 1.0).log_prob;
    const auto loss = log_probs.sum() / -static_cast<double>(log_probs.numel());
    loss.backward();
    return loss.item<double>();
  }

  std::vector<Parameter> gradients() const {
    std::vector<Parameter> all;
    for (const Parameter& p : parameters_) all.push_back({p.name, p.value.grad()});
    return all;
  }

  void compare_norm(const std::string& name, double reference) {
    checks_.push_back(
        check(name, std::abs(total_norm(gradients()) - reference) / reference, gradient_tolerance, "relative"));
  }

  void compare_gradients() {
    for (const Parameter& p : parameters_) {
      const std::string name = text_.gradients + p.name;
      if (!text_.tensors.has(name)) continue;
      const auto reference = reference_tensor(text_.tensors, name);
      largest_difference(p.value.grad(), reference, name);  // throws if the shapes differ
      const double error = norm_of(p.value.grad() - reference) / (norm_of(reference) + least_norm);
      checks_.push_back(check(name, error, gradient_tolerance, "relative"));
    }
  }

  void start_again() {
    const at::NoGradGuard no_grad;
    moments_.clear();
    for (size_t i = 0; i < parameters_.size(); ++i) {
      parameters_[i].value.copy_(initial_[i]);
      const std::vector<float> zeros(static_cast<size_t>(initial_[i].numel()));
      moments_.push_back({zeros, zeros});
    }
    model_.policy->parameters_changed();
  }

  void update(const json& settings, int64_t step, double scale) {
    kernels::AdamW adamw{settings.at("lr"), settings.at("betas").at(0), settings.at("betas").at(1), settings.at("eps")};
    const auto undecayed = settings.value("not_decayed", std::vector<std::string>());
    for (size_t i = 0; i < parameters_.size(); ++i) {
      at::Tensor& value = parameters_[i].value;
      const bool decays = std::find(undecayed.begin(), undecayed.end(), parameters_[i].name) == undecayed.end();
      adamw.weight_decay = decays ? settings.at("weight_decay").get<double>() : 0.0;
      kernels::adamw_step(adamw, step, value.grad().contiguous().const_data_ptr<float>(), static_cast<float>(scale),
                          value.numel(), static_cast<float*>(value.data_ptr()), moments_[i].m.data(),
                          moments_[i].v.data());
    }
    model_.policy->parameters_changed();
  }

  void take_steps(const std::string& name, const json& settings) {
    start_again();
    int64_t step = 0;
    for (const json& reference : settings.at("steps")) {
      const auto which = fmt::format("{}.steps[{}]", name, step);
      compare(which + ".loss_before", differentiate(), reference.at("loss_before"), text_.log_prob_tolerance());
      update(settings, ++step, 1.0);
      compare_parameters(which, parameters_, reference.at("parameters"), settings.at("lr"), step, checks_);
    }
  }

  void take_clipped_step(const std::string& name, const json& settings) {
    start_again();
    compare(name + ".loss_before", differentiate(), settings.at("loss_before"), text_.log_prob_tolerance());
    compare_norm(name + ".grad_norm_before_clip", settings.at("grad_norm_before_clip"));
    const double most = settings.at("max_grad_norm"), found = total_norm(gradients());
    update(settings, 1, found > most ? most / (found + 1e-6) : 1.0);
    compare_parameters(name, parameters_, settings.at("parameters"), settings.at("lr"), 1, checks_);
  }

  const TextCase& text_;
  std::vector<Check>& checks_;
  inference::OpenModel model_;
  std::vector<Parameter> parameters_;
  const PackedSequences rows_;
  std::vector<at::Tensor> initial_;
  std::vector<Moments> moments_;
};

}  // namespace

void check_training(const TextCase& text, std::vector<Check>& checks) {
  if (text.golden.contains("loss")) ReferenceTraining(text, checks).run();
}

}  // namespace compeer::verify
