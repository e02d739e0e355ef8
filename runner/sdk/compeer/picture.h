#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace compeer {

/// An image or video, cut into patches as the model folder's preprocessor settings prescribe (language/pictures.h).
struct Picture {
  std::vector<float> patches;               ///< pixel values, row-major [time * height * width, values per patch]
  int64_t time = 1, height = 0, width = 0;  ///< grid size in patches
  /// for a video: seconds between consecutive temporal patches; empty: a still image
  std::optional<double> seconds = {};
};

}  // namespace compeer
