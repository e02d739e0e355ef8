#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "decoder/config.h"

namespace compeer::qwen2_5_vl {

constexpr double epsilon = 1e-6;  ///< of the tower's norms

/// The tower that looks at pictures.
struct Vision {
  int64_t depth = 32, hidden_size = 3584, intermediate_size = 3420, num_heads = 16, in_channels = 3;
  int64_t patch_size = 14, temporal_patch_size = 2, spatial_merge_size = 2, window_size = 112, out_hidden_size = 3584;
  int64_t tokens_per_second = 4;
  std::set<int64_t> full_attention{7, 15, 23, 31};  ///< fullatt_block_indexes: blocks that see the whole picture
  double rope_theta = 10000.0;

  int64_t head_dim() const { return hidden_size / num_heads; }
  int64_t unit() const { return spatial_merge_size * spatial_merge_size; }  ///< patches that become one token
  int64_t patch() const { return in_channels * temporal_patch_size * patch_size * patch_size; }  ///< floats of one
  int64_t window() const { return window_size / spatial_merge_size / patch_size; }               ///< its side, in units
};

/// Sizes and special tokens of a Qwen2.5-VL model, as in config.json.
struct VlConfig {
  decoder::TextConfig text;
  Vision vision;
  int64_t image_token = 151655, video_token = 151656, vision_start_token = 151652, vision_end_token = 151653;
};

/// From config.json in the layout of published models (text sizes beside vision_config) or the newer one (text_config).
/// Throws Error (exit 4) at `where` if a size is missing, does not fit the others, or asks for what this plugin does
/// not do.
VlConfig read_config(const nlohmann::json& config, const std::string& where);

/// The layout of published models; `read` is what the config was read from, in either layout.
nlohmann::json write_config(const VlConfig& config, const nlohmann::json& read);

}  // namespace compeer::qwen2_5_vl
