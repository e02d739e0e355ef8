#include "tools/verify/training.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <cmath>

namespace compeer::verify {

namespace {

// AdamW divides gradients by their own size, so that rounding of the smallest (key biases hardly matter) becomes a
// visible part of a step. Single elements are held to a tenth of the learning rate; sums over n elements, after
// each step, to a twentieth more of what n steps in random directions would change. Weight decay forgotten or misplaced
// is far above that.
constexpr double element_tolerance = 0.1, sum_tolerance_per_step = 0.05;

}  // namespace

double norm_of(const at::Tensor& gradient) { return gradient.to(at::kDouble).norm().item<double>(); }

double total_norm(const std::vector<Parameter>& gradients) {
  double squares = 0;
  for (const Parameter& p : gradients) squares += std::pow(norm_of(p.value), 2);
  return std::sqrt(squares);
}

Check compare_norms(const std::vector<Parameter>& gradients, const nlohmann::json& norms) {
  Largest largest;
  for (const Parameter& p : gradients) {
    const double reference = norms.at(p.name);
    largest.take(std::abs(norm_of(p.value) - reference) / (reference + least_norm));
  }
  return largest.check("grad_norms", gradient_tolerance, "parameters, relative");
}

void compare_parameters(const std::string& name, const std::vector<Parameter>& parameters,
                        const nlohmann::json& reference, double lr, int64_t steps, std::vector<Check>& checks) {
  Largest sums, elements;
  for (const Parameter& p : parameters) {
    const auto& r = reference.at(p.name);
    const auto x = p.value.detach().to(at::kDouble).flatten();
    const double squares = r.at("sq_sum");
    const double walk = lr * std::sqrt(static_cast<double>(x.numel()));
    sums.take(std::abs(x.sum().item<double>() - r.at("sum").get<double>()) / walk);
    sums.take(std::abs(x.abs().sum().item<double>() - r.at("abs_sum").get<double>()) / walk);
    sums.take(std::abs((x * x).sum().item<double>() - squares) / (2 * lr * std::sqrt(squares)));
    for (size_t i = 0; i < r.at("first").size(); ++i)
      elements.take(std::abs(x[static_cast<int64_t>(i)].item<double>() - r.at("first")[i].get<double>()) / lr);
  }
  checks.push_back(sums.check(name + ".parameters", sum_tolerance_per_step * static_cast<double>(steps),
                              "sums, in random steps of lr"));
  checks.push_back(elements.check(name + ".first", element_tolerance, "elements, in units of lr"));
}

}  // namespace compeer::verify
