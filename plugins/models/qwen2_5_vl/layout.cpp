#include "layout.h"

#include <algorithm>

namespace compeer::qwen2_5_vl {

namespace {

// The units of one place in time, window after window; windows at the lower and right edge are smaller.
void add_windows(int64_t first, int64_t height, int64_t width, const Vision& vision, PatchLayout& all) {
  const int64_t side = vision.window();
  for (int64_t top = 0; top < height; top += side) {
    for (int64_t left = 0; left < width; left += side) {
      const auto start = static_cast<int64_t>(all.order.size()) * vision.unit();
      for (int64_t y = top; y < std::min(top + side, height); ++y) {
        for (int64_t x = left; x < std::min(left + side, width); ++x) all.order.push_back(first + y * width + x);
      }
      all.windows.push_back({start, static_cast<int64_t>(all.order.size()) * vision.unit()});
    }
  }
}

void add_places(int64_t height, int64_t width, int64_t merge, PatchLayout& all) {
  for (int64_t top = 0; top < height; top += merge) {
    for (int64_t left = 0; left < width; left += merge) {
      for (int64_t i = 0; i < merge * merge; ++i) {
        all.row.push_back(top + i / merge);
        all.column.push_back(left + i % merge);
      }
    }
  }
}

}  // namespace

PatchLayout layout(const std::vector<const Picture*>& pictures, const Vision& vision) {
  PatchLayout all;
  for (const Picture* picture : pictures) {
    const int64_t height = picture->height / vision.spatial_merge_size;
    const int64_t width = picture->width / vision.spatial_merge_size;
    for (int64_t t = 0; t < picture->time; ++t) {
      const auto first = static_cast<int64_t>(all.order.size());
      add_windows(first, height, width, vision, all);
      add_places(picture->height, picture->width, vision.spatial_merge_size, all);
      all.frames.push_back({first * vision.unit(), static_cast<int64_t>(all.order.size()) * vision.unit()});
    }
  }
  return all;
}

}  // namespace compeer::qwen2_5_vl
