#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace compeer::gguf {

/// Converts the tensor rope_freqs.weight, `factors` [head_dim / 2], to the setting rope_scaling of config.json. GGUF
/// files store the RoPE scaling rules `llama3` and `linear` as factors by which the frequencies theta^(-2i / head_dim)
/// are divided; this function recovers the settings of the rule from them. `theta`: base of the frequencies
/// (`rope_theta`). Returns JSON null if all factors are 1 (no scaling), nullopt if they fit neither rule.
std::optional<nlohmann::ordered_json> rope_scaling_of(std::span<const float> factors, double theta);

}  // namespace compeer::gguf
