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

// Helpers of `compeer verify`, which compares this program with reference files made by other libraries: reading
// reference values, and the largest difference from them. Check is one comparison with its error and tolerance;
// functions with a parameter `checks` append their results to it.

namespace compeer::verify {

/// Tracks the largest of many differences. If one is NaN, the largest is NaN.
class Largest {
 public:
  /// Adds the absolute difference of two numbers.
  void compare(double ours, double reference) { take(std::abs(ours - reference)); }
  /// Adds a difference.
  void take(double difference) {
    ++count_;
    if (!(difference <= largest_) && !std::isnan(largest_)) largest_ = difference;
  }
  double value() const { return largest_; }  ///< the largest difference; 0 before the first
  int64_t count() const { return count_; }   ///< number of differences added

  /// Returns the check, with a note such as "768 values"; `of` is the noun. It fails if no difference was added.
  Check check(const std::string& name, double tolerance, const std::string& of = "values") const;

 private:
  double largest_ = 0;
  int64_t count_ = 0;
};

/// Reads a JSON object of reference values. Throws Error (exit code 4: invalid data), naming the file, if that fails.
nlohmann::json read_reference(const std::filesystem::path& file);

/// Calls `work()` and returns its result. Turns JSON exceptions (missing values, wrong types) into an Error (exit code
/// 4) naming the file.
template <class Work>
auto reading(const std::filesystem::path& file, Work work) {
  try {
    return work();
  } catch (const nlohmann::json::exception& error) {
    throw Error(file.string(), "is not a valid reference file: " + std::string(error.what()), "", Exit::data);
  }
}

/// Returns a copy of the values of a float32 tensor, in row-major order.
std::vector<float> values_of(const record::TensorView& tensor);

/// Checks that the weights of a model folder (float32) were read correctly. `reference`: a list of {"name", "sum",
/// "abs_sum", "first": the first values}, one per tensor. `prefix` begins the names of the checks.
void check_sums(const std::string& prefix, const std::filesystem::path& folder, const nlohmann::json& reference,
                std::vector<Check>& checks);

/// Returns a tensor of a reference file as float32.
at::Tensor reference_tensor(const record::Safetensors& file, const std::string& name);

/// Returns the largest absolute difference of two tensors. Throws Error (exit code 4), naming `name`, if their
/// shapes differ.
double largest_difference(const at::Tensor& ours, const at::Tensor& reference, const std::string& name);

/// Compares our log-probabilities of one position, [vocabulary], with the reference's most likely tokens: `ids` and
/// their log-probabilities `reference`, best first. Tokens with nearly equal log-probabilities may be swapped. It
/// therefore compares our value for each of the ids, and our k-th best value with the reference's. Adds the differences
/// to `largest`.
void compare_best(const at::Tensor& log_probs, const std::vector<int64_t>& ids, const std::vector<double>& reference,
                  Largest& largest);

// Checks of training: gradients and parameters against the reference's sums.

/// Returns the Euclidean norm, computed in float64.
double norm_of(const at::Tensor& gradient);
/// Returns the Euclidean norm of all gradients together. `value` of each Parameter is its gradient.
double total_norm(const std::vector<Parameter>& gradients);

/// Compares the norm of each gradient with `norms`, a JSON object by the parameter's name. `value` of each Parameter is
/// its gradient.
Check compare_norms(const std::vector<Parameter>& gradients, const nlohmann::json& norms);

/// Compares parameters after `steps` steps of AdamW with the learning rate `lr`. `reference`: a JSON object by the
/// parameter's name, with "sum", "abs_sum", "sq_sum" (of squares) and "first" (values). `name` begins the checks'
/// names.
void compare_parameters(const std::string& name, const std::vector<Parameter>& parameters,
                        const nlohmann::json& reference, double lr, int64_t steps, std::vector<Check>& checks);

/// Largest allowed relative difference of a gradient's norm.
constexpr double gradient_tolerance = 1e-5;
/// Added to norms, so that tiny gradients are compared with an absolute tolerance of 1e-9.
constexpr double least_norm = 1e-4;

}  // namespace compeer::verify
