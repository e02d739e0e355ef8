#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "decoder/config.h"

namespace compeer::qwen2_5_vl {

// Sizes of a Qwen2.5-VL model: a text decoder and a vision tower, a transformer over patches of images and videos. The
// tower merges squares of patches, called units; each unit becomes one token of the text model.

constexpr double epsilon = 1e-6;  ///< epsilon of the tower's RMS norms

/// Sizes of the vision tower, named as in vision_config of config.json.
struct Vision {
  int64_t depth = 32, hidden_size = 3584, intermediate_size = 3420, num_heads = 16, in_channels = 3;
  int64_t patch_size = 14, temporal_patch_size = 2, spatial_merge_size = 2, window_size = 112, out_hidden_size = 3584;
  int64_t tokens_per_second = 4;  ///< rotary positions that one second of a video advances
  /// fullatt_block_indexes: indices of the blocks with attention over a whole picture; the others use windows.
  std::set<int64_t> full_attention{7, 15, 23, 31};
  double rope_theta = 10000.0;  ///< base of the rotary frequencies

  /// Returns the size of an attention head.
  int64_t head_dim() const { return hidden_size / num_heads; }
  /// Returns the number of patches in a unit.
  int64_t unit() const { return spatial_merge_size * spatial_merge_size; }
  /// Returns the number of floats of a patch.
  int64_t patch() const { return in_channels * temporal_patch_size * patch_size * patch_size; }
  /// Returns the side of an attention window, in units.
  int64_t window() const { return window_size / spatial_merge_size / patch_size; }
};

/// Sizes and special tokens of a Qwen2.5-VL model, from config.json.
struct VlConfig {
  decoder::TextConfig text;
  Vision vision;
  /// Token ids: placeholders of images and videos, and the tokens before and after them.
  int64_t image_token = 151655, video_token = 151656, vision_start_token = 151652, vision_end_token = 151653;
};

/// Parses config.json in the layout of the published models (text sizes next to vision_config) or the newer one
/// (text_config). `where`: the file, for messages. Throws Error (exit code 4: invalid data) if a size is missing,
/// invalid or inconsistent, or for a feature that is not supported.
VlConfig read_config(const nlohmann::json& config, const std::string& where);

/// Returns the config.json of a model in the published layout. `read`: the config.json from which `config` was parsed,
/// in either layout, for the ids of the begin, end and padding tokens.
nlohmann::json write_config(const VlConfig& config, const nlohmann::json& read);

}  // namespace compeer::qwen2_5_vl
