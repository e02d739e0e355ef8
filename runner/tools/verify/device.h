#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/verify/verify.h"

// The command that tests a GPU before it trains: it compares the GPU's results with those of the CPU. Check is one
// comparison with its error and tolerance.

namespace compeer::verify {

/// Compares a device with the exact kernels of the host, on small random models of these families in float32 and
/// bfloat16 (qwen2 also with an adapter): forward pass, gradients, scoring and generation of text, cache pages,
/// sampling, activation checkpointing, and three GRPO steps. `device`: a value of the setting `model.device`, such as
/// "cuda". `families`: names of model plugins
/// ("qwen2").
std::vector<Check> check_device(const std::string& device, const std::vector<std::string>& families);

/// Runs check_device for the first CUDA device, prints checks and speed, and writes a certificate if all checks pass.
/// The certificate is a file that records the device, its software and the results. `options`: {"json": true to print
/// JSON}. Returns the exit code: 0, or 1 if a check fails. Throws Error (exit code 2: wrong command line or machine) if
/// there is no usable device.
int verify_device(const nlohmann::json& options);

}  // namespace compeer::verify
