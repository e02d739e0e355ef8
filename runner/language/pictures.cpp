#include "language/pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "language/image_format.h"
#include "language/resize.h"

namespace compeer::language {

namespace {

// What 8 bits of a channel become: (value - mean / rescale) / (deviation / rescale), in float32 as torchvision does it.
using Tables = std::array<std::array<float, 256>, 3>;
Tables tables(const PictureSettings& settings) {
  Tables result;
  const auto unit = static_cast<float>(1.0 / settings.rescale_factor);
  for (size_t c = 0; c < 3; ++c) {
    const float mean = settings.mean[c] * unit, deviation = settings.deviation[c] * unit;
    for (size_t v = 0; v < 256; ++v) result[c][v] = (static_cast<float>(v) - mean) / deviation;
  }
  return result;
}

// One frame's share of the patches of its place in time: `slot` of `temporal_patch_size`.
void cut(const Image& frame, int64_t slot, const Tables& table, const PictureSettings& s, float* patches) {
  const int64_t p = s.patch_size, merge = s.merge_size, area = p * p;
  const int64_t width = frame.width / p, units_across = width / merge, patch = 3 * s.temporal_patch_size * area;
  for (int64_t y = 0; y < frame.height; ++y) {
    const int64_t row = y / p, unit_row = row / merge;
    for (int64_t column = 0; column < width; ++column) {
      const int64_t unit = unit_row * units_across + column / merge;
      const int64_t index = (unit * merge + row % merge) * merge + column % merge;
      const uint8_t* in = frame.pixels.data() + 3 * (y * frame.width + column * p);
      for (int64_t c = 0; c < 3; ++c) {
        const auto& values = table[static_cast<size_t>(c)];
        float* out = patches + index * patch + (c * s.temporal_patch_size + slot) * area + y % p * p;
        for (int64_t x = 0; x < p; ++x) out[x] = values[in[3 * x + c]];
      }
    }
  }
}

}  // namespace

Picture make_picture(const std::vector<Image>& frames, const PictureSettings& s, const std::string& where) {
  if (frames.empty()) throw Error(where, "is a video without frames", "", Exit::data);
  const Size size{frames[0].height, frames[0].width};
  for (const Image& frame : frames) {
    if (Size{frame.height, frame.width} != size)
      throw Error(
          where,
          fmt::format("has frames of {} x {} and {} x {} pixels", size.width, size.height, frame.width, frame.height),
          "the frames of a video have one size", Exit::data);
  }
  const Size fitted = smart_resize(size, s.patch_size * s.merge_size, s.min_pixels, s.max_pixels, where);
  check_size(fitted.height, fitted.width, where);
  const auto count = static_cast<int64_t>(frames.size()), slots = s.temporal_patch_size;
  Picture picture;
  picture.time = (count + slots - 1) / slots;
  picture.height = fitted.height / s.patch_size;
  picture.width = fitted.width / s.patch_size;
  if (count > 1) picture.seconds = 1.0;
  const int64_t step = 3 * slots * fitted.height * fitted.width;  // floats of one place in time
  picture.patches.resize(static_cast<size_t>(picture.time * step));
  const Tables table = tables(s);
  for (int64_t i = 0; i < count; ++i) {
    const Image& frame = frames[static_cast<size_t>(i)];
    const Image resized = size == fitted ? Image() : resize(frame, fitted);
    const int64_t until = i + 1 < count ? i + 1 : picture.time * slots;
    for (int64_t j = i; j < until; ++j)
      cut(size == fitted ? frame : resized, j % slots, table, s, picture.patches.data() + j / slots * step);
  }
  return picture;
}

Picture read_picture(const std::vector<std::filesystem::path>& frames, const PictureSettings& settings,
                     std::optional<double> seconds) {
  std::vector<Image> images;
  for (const auto& file : frames) images.push_back(read_image(file));
  Picture picture = make_picture(images, settings, frames.empty() ? "video" : frames[0].string());
  if (seconds) picture.seconds = seconds;
  return picture;
}

int64_t placeholders(const Picture& picture, const PictureSettings& settings) {
  return picture.time * picture.height * picture.width / (settings.merge_size * settings.merge_size);
}

}  // namespace compeer::language
