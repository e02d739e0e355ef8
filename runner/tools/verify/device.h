#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/verify/verify.h"

namespace compeer::verify {

/// Compares a device with the exact kernels of the host, on small random models of these families in float32 and
/// bfloat16 (qwen2 also with an adapter): forward pass, gradients, scoring and generation of text, cache pages,
/// sampling, activation checkpointing, and three GRPO steps. `device` as in the setting `model.device`.
std::vector<Check> check_device(const std::string& device, const std::vector<std::string>& families);

/// Runs check_device for the first CUDA device, prints checks and speed, and writes a certificate if all checks pass.
/// `options`: {"json"}. Returns 1 if a check fails. Throws Error (exit 2) if there is no usable device.
int verify_device(const nlohmann::json& options);

}  // namespace compeer::verify
