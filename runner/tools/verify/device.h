#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/verify/verify.h"

namespace compeer::verify {

/// What a device computes, against the exact kernels of the host: fresh small models of these families, in float32 and
/// bfloat16, of qwen2 also with an adapter. Forward, gradients, text that is scored and generated, pages, draws,
/// recomputed activations, and three steps of GRPO. `device` as `model.device` has it.
std::vector<Check> check_device(const std::string& device, const std::vector<std::string>& families);

/// {"json"}: the same of CUDA's first device, prints checks and speed, and keeps them as a certificate if all pass.
/// Exit 1 if one fails, 2 if there is no device, which the JSON says, too.
int verify_device(const nlohmann::json& options);

}  // namespace compeer::verify
