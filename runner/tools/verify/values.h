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

/// What the checks of reference files share: reading references, and the largest difference from them.

namespace compeer::verify {

/// The largest of many differences. One that is no number stays.
class Largest {
 public:
  void compare(double ours, double reference) { take(std::abs(ours - reference)); }
  void take(double difference) {
    ++count_;
    if (!(difference <= largest_) && !std::isnan(largest_)) largest_ = difference;
  }
  double value() const { return largest_; }
  int64_t count() const { return count_; }

  /// Note: "768 values". Nothing compared fails.
  Check check(const std::string& name, double tolerance, const std::string& of = "values") const;

 private:
  double largest_ = 0;
  int64_t count_ = 0;
};

/// A JSON object of reference values. Throws Error (exit 4) naming the file.
nlohmann::json read_reference(const std::filesystem::path& file);

/// Runs `work`, and says of which file values were missing or of another type than they should be.
template <class Work>
auto reading(const std::filesystem::path& file, Work work) {
  try {
    return work();
  } catch (const nlohmann::json::exception& error) {
    throw Error(file.string(), "is no such reference file: " + std::string(error.what()), "", Exit::data);
  }
}

/// The values of a float32 tensor.
std::vector<float> values_of(const record::TensorView& tensor);

/// The weights of a model folder, in float32: `sum`, `abs_sum` and the `first` values of each that `reference` names.
void check_sums(const std::string& prefix, const std::filesystem::path& folder, const nlohmann::json& reference,
                std::vector<Check>& checks);

/// A tensor of a reference file, as float32.
at::Tensor reference_tensor(const record::Safetensors& file, const std::string& name);

/// Largest absolute difference of two tensors of one shape; another shape is an Error (exit 4) naming `name`.
double largest_difference(const at::Tensor& ours, const at::Tensor& reference, const std::string& name);

/// A reference's list of the most likely tokens: ids and log-probabilities, best first, against a row of our
/// log-probabilities [vocabulary]. Ids that tie within rounding may swap, so it compares our value at each of their
/// ids, and our k-th best with theirs.
void compare_best(const at::Tensor& log_probs, const std::vector<int64_t>& ids, const std::vector<double>& reference,
                  Largest& largest);

// What the checks of training share: gradients and parameters against a reference's sums over them.

double norm_of(const at::Tensor& gradient);
double total_norm(const std::vector<Parameter>& gradients);

/// "grad_norms": the norm of each gradient, by the parameter's name.
Check compare_norms(const std::vector<Parameter>& gradients, const nlohmann::json& norms);

/// Parameters after so many steps of AdamW with this learning rate.
void compare_parameters(const std::string& name, const std::vector<Parameter>& parameters,
                        const nlohmann::json& reference, double lr, int64_t steps, std::vector<Check>& checks);

constexpr double gradient_tolerance = 1e-5;
// Gradients this small, of tensors that hardly matter, are held to an absolute error of 1e-9.
constexpr double least_norm = 1e-4;

}  // namespace compeer::verify
