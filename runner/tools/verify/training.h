#pragma once
#include "compeer/model.h"
#include "tools/verify/values.h"

/// What the checks of training share: gradients and parameters against a reference's sums over them.
namespace compeer::verify {

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
