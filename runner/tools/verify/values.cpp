// Compares arrays with reference values.
#include "tools/verify/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/topk.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/json.h"

namespace compeer::verify {

using nlohmann::json;

namespace {

// AdamW divides gradients by their own magnitude, so rounding errors of the smallest (key biases have little effect)
// become a visible part of a step. Single elements are compared with a tolerance of a tenth of the learning rate. Sums
// over n elements are allowed, per step, a twentieth of the change by n steps in random directions. Missing or
// misplaced weight decay would exceed that by far.
constexpr double element_tolerance = 0.1, sum_tolerance_per_step = 0.05;

}  // namespace

Check Largest::check(const std::string& name, double tolerance, const std::string& of) const {
  auto result = verify::check(name, largest_, tolerance, fmt::format("{} {}", count_, of));
  if (count_ == 0) result.passed = false;
  return result;
}

json read_reference(const std::filesystem::path& file) { return read_json_object(file, largest_reference); }

std::vector<float> values_of(const record::TensorView& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), values.size() * sizeof(float));
  return values;
}

void check_sums(const std::string& prefix, const std::filesystem::path& folder, const json& reference,
                std::vector<Check>& checks) {
  const auto weights = record::Safetensors::open_sharded(folder);
  Largest sums, first;
  for (const json& one : reference) {
    const auto values = values_of(weights.tensor(one.at("name").get<std::string>()));
    double sum = 0, absolute = 0;
    for (const float value : values) sum += value, absolute += std::abs(value);
    sums.take(std::abs(sum - one.at("sum").get<double>()) / absolute);
    sums.take(std::abs(absolute / one.at("abs_sum").get<double>() - 1));
    for (size_t i = 0; i < one.at("first").size(); ++i) first.compare(values.at(i), one.at("first")[i].get<float>());
  }
  checks.push_back(sums.check(prefix + "sums", 1e-9, "sums, relative"));
  checks.push_back(first.check(prefix + "first", 0));
}

at::Tensor reference_tensor(const record::Safetensors& file, const std::string& name) {
  const auto& view = file.tensor(name);
  at::ScalarType type = at::kFloat;
  if (view.dtype == "BF16")
    type = at::kBFloat16;
  else if (view.dtype == "F16")
    type = at::kHalf;
  else if (view.dtype != "F32")
    throw Error(file.path().string(), fmt::format("tensor '{}' is of type {}", name, view.dtype), "", Exit::data);
  return at::from_blob(const_cast<std::byte*>(view.bytes.data()), view.shape, at::TensorOptions(type))
      .clone()
      .to(at::kFloat);
}

double largest_difference(const at::Tensor& ours, const at::Tensor& reference, const std::string& name) {
  if (ours.sizes() != reference.sizes())
    throw Error(name, "has a different shape than the output of the model", "", Exit::data);
  return ours.numel() == 0 ? 0.0 : (ours - reference).abs().max().item<double>();
}

void compare_best(const at::Tensor& log_probs, const std::vector<int64_t>& ids, const std::vector<double>& reference,
                  Largest& largest) {
  const auto best = std::get<0>(at::topk(log_probs, static_cast<int64_t>(ids.size())));
  for (size_t i = 0; i < ids.size(); ++i) {
    largest.compare(best[static_cast<int64_t>(i)].item<double>(), reference.at(i));
    largest.compare(log_probs[ids[i]].item<double>(), reference.at(i));
  }
}

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
