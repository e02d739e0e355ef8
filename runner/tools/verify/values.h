#pragma once
#include <ATen/core/Tensor.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "compeer/model.h"
#include "record/safetensors.h"
#include "tools/verify/verify.h"

/// Helpers shared by the checks: reading reference values, and the largest difference from them.

namespace compeer::verify {

/// Tracks the largest of many differences. A NaN is kept.
class Largest {
 public:
  void compare(double ours, double reference) { take(std::abs(ours - reference)); }
  void take(double difference) {
    ++count_;
    if (!(difference <= largest_) && !std::isnan(largest_)) largest_ = difference;
  }
  double value() const { return largest_; }
  int64_t count() const { return count_; }

  /// Returns the check, with a note such as "768 values". Fails if nothing was compared.
  Check check(const std::string& name, double tolerance, const std::string& of = "values") const;

 private:
  double largest_ = 0;
  int64_t count_ = 0;
};

/// Reads a JSON object of reference values. Throws Error (exit 4) naming the file.
nlohmann::json read_reference(const std::filesystem::path& file);

/// Runs `work`. Turns JSON exceptions (missing values, wrong types) into an Error (exit 4) naming the file.
template <class Work>
auto reading(const std::filesystem::path& file, Work work) {
  try {
    return work();
  } catch (const nlohmann::json::exception& error) {
    throw Error(file.string(), "is not a valid reference file: " + std::string(error.what()), "", Exit::data);
  }
}

/// Returns the values of a float32 tensor.
std::vector<float> values_of(const record::TensorView& tensor);

/// Checks the weights of a model folder (float32) against `sum`, `abs_sum` and the `first` values of each tensor that
/// `reference` names.
void check_sums(const std::string& prefix, const std::filesystem::path& folder, const nlohmann::json& reference,
                std::vector<Check>& checks);

/// Returns a tensor of a reference file as float32.
at::Tensor reference_tensor(const record::Safetensors& file, const std::string& name);

/// Returns the largest absolute difference of two tensors. Throws Error (exit 4) naming `name` if the shapes differ.
double largest_difference(const at::Tensor& ours, const at::Tensor& reference, const std::string& name);

/// Compares a row of our log-probabilities [vocabulary] with the reference's most likely tokens (ids and
/// log-probabilities, best first). Ids that are equal within rounding may be swapped, so it compares our value for each
/// of their ids, and our k-th best value with theirs.
void compare_best(const at::Tensor& log_probs, const std::vector<int64_t>& ids, const std::vector<double>& reference,
                  Largest& largest);

// Checks of training: gradients and parameters against the reference's sums.

double norm_of(const at::Tensor& gradient);
double total_norm(const std::vector<Parameter>& gradients);

/// Compares the norm of each gradient with "grad_norms", by the parameter's name.
Check compare_norms(const std::vector<Parameter>& gradients, const nlohmann::json& norms);

/// Compares parameters after `steps` steps of AdamW with the learning rate `lr`.
void compare_parameters(const std::string& name, const std::vector<Parameter>& parameters,
                        const nlohmann::json& reference, double lr, int64_t steps, std::vector<Check>& checks);

constexpr double gradient_tolerance = 1e-5;
// Added to norms, so that tiny gradients are compared with an absolute tolerance of 1e-9.
constexpr double least_norm = 1e-4;

}  // namespace compeer::verify
