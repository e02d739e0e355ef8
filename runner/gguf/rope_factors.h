#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace compeer::gguf {

/// The tensor rope_freqs.weight as config.json's rope_scaling. Every rotary frequency theta^(-2i / head_dim) is divided
/// by factors[i], which is how a file carries the rules `llama3` and `linear`; their settings are found again from the
/// factors. null: all are 1. No value: they fit neither rule.
/// factors [head_dim / 2]
std::optional<nlohmann::ordered_json> rope_scaling_of(std::span<const float> factors, double theta);

}  // namespace compeer::gguf
