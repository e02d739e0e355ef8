#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace compeer {

/// One picture or video, cut into patches as the model's folder prescribes (language/pictures.h does it).
struct Picture {
  std::vector<float> patches;               ///< [time * height * width, size of a patch]
  int64_t time = 1, height = 0, width = 0;  ///< the grid, in patches
  std::optional<double> seconds = {};       ///< a video's time from one place in time to the next; none: a still
};

}  // namespace compeer
