#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace compeer {

/// An image or video, resized, normalized and cut into patches as the model folder's preprocessor settings prescribe:
/// input of a vision model. With m = merge_size (patches per side that make one token), p = patch_size (pixels) and t =
/// temporal_patch_size (frames), a patch is [3 channels, t, p, p]. Patches are ordered by point in time, then by units
/// of m x m patches in row-major order, then in row-major order within a unit.
struct Picture {
  std::vector<float> patches;               ///< pixel values, [time * height * width, 3 * t * p * p]
  int64_t time = 1, height = 0, width = 0;  ///< size of the grid of patches
  /// Video: seconds between consecutive points in time of the grid; empty: a still image.
  std::optional<double> seconds = {};
};

}  // namespace compeer
