// Image sizes and bicubic resizing, as in transformers and torchvision.
#include "language/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace compeer::language {

namespace {

// Resampling along one side: each position of the result is a weighted sum of `count` source positions from `first` on.
// Weights are in units of 2^-places.
struct Side {
  struct Reach {
    int64_t first, count;
  };
  std::vector<Reach> reach;
  std::vector<int16_t> weights;  // [size of the result, taps]
  int64_t taps = 0;
  int places = 0;

  const int16_t* weights_of(int64_t i) const { return weights.data() + i * taps; }
  int half() const { return 1 << (places - 1); }
  uint8_t pixel(int sum) const { return static_cast<uint8_t>(std::clamp(sum >> places, 0, 255)); }
};

double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * a;
  return 0.0;
}

Side side(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to), stretch = std::max(scale, 1.0);
  const double support = 2.0 * stretch;
  Side result;
  result.taps = static_cast<int64_t>(std::ceil(support)) * 2 + 1;
  std::vector<double> exact(static_cast<size_t>(to * result.taps), 0.0);
  double largest = 0.0;
  for (int64_t i = 0; i < to; ++i) {
    const double centre = scale * (static_cast<double>(i) + 0.5);
    const auto first = std::max(static_cast<int64_t>(centre - support + 0.5), int64_t{0});
    const auto end = std::min(static_cast<int64_t>(centre + support + 0.5), from);
    const auto count = std::clamp(end - first, int64_t{0}, result.taps);
    result.reach.push_back({first, count});
    double* weight = exact.data() + i * result.taps;
    double total = 0.0;
    for (int64_t j = 0; j < count; ++j) {
      weight[j] = cubic((static_cast<double>(j + first) - centre + 0.5) / stretch);
      total += weight[j];
    }
    for (int64_t j = 0; j < count; ++j) largest = std::max(largest, weight[j] /= total);
  }
  while (result.places < 22 && 0.5 + largest * (1 << (result.places + 1)) < (1 << 15)) ++result.places;
  result.weights.reserve(exact.size());
  for (const double weight : exact)
    result.weights.push_back(static_cast<int16_t>(std::lround(weight * (1 << result.places))));
  return result;
}

Image resize_columns(const Image& image, int64_t width) {
  const Side columns = side(image.width, width);
  Image result{image.height, width, std::vector<uint8_t>(static_cast<size_t>(3 * image.height * width))};
  uint8_t* out = result.pixels.data();
  for (int64_t y = 0; y < image.height; ++y) {
    const uint8_t* row = image.pixels.data() + 3 * y * image.width;
    for (int64_t x = 0; x < width; ++x, out += 3) {
      const auto [first, count] = columns.reach[static_cast<size_t>(x)];
      const int16_t* weight = columns.weights_of(x);
      const uint8_t* in = row + 3 * first;
      int red = columns.half(), green = red, blue = red;
      for (int64_t j = 0; j < count; ++j, in += 3) {
        red += weight[j] * in[0];
        green += weight[j] * in[1];
        blue += weight[j] * in[2];
      }
      out[0] = columns.pixel(red), out[1] = columns.pixel(green), out[2] = columns.pixel(blue);
    }
  }
  return result;
}

Image resize_rows(const Image& image, int64_t height) {
  const Side rows = side(image.height, height);
  const int64_t across = 3 * image.width;
  Image result{height, image.width, std::vector<uint8_t>(static_cast<size_t>(height * across))};
  std::vector<int> sums(static_cast<size_t>(across));
  for (int64_t y = 0; y < height; ++y) {
    const auto [first, count] = rows.reach[static_cast<size_t>(y)];
    std::fill(sums.begin(), sums.end(), rows.half());
    for (int64_t j = 0; j < count; ++j) {
      const uint8_t* in = image.pixels.data() + (first + j) * across;
      const int weight = rows.weights_of(y)[j];
      for (int64_t i = 0; i < across; ++i) sums[static_cast<size_t>(i)] += weight * in[i];
    }
    uint8_t* out = result.pixels.data() + y * across;
    for (int64_t i = 0; i < across; ++i) out[i] = rows.pixel(sums[static_cast<size_t>(i)]);
  }
  return result;
}

}  // namespace

Size smart_resize(Size size, int64_t factor, int64_t min_pixels, int64_t max_pixels, const std::string& where) {
  const auto height = static_cast<double>(size.height), width = static_cast<double>(size.width);
  const auto side_length = static_cast<double>(factor);
  if (std::max(height, width) / std::min(height, width) > 200)
    throw Error(where, fmt::format("is {} x {} pixels", size.width, size.height),
                "the longer side may be at most 200 times the shorter", Exit::data);
  const auto whole = [&](double multiples) { return static_cast<int64_t>(multiples) * factor; };
  Size result{whole(std::nearbyint(height / side_length)), whole(std::nearbyint(width / side_length))};
  if (result.height * result.width > max_pixels) {
    const double shrink = std::sqrt(height * width / static_cast<double>(max_pixels));
    result = {std::max(factor, whole(std::floor(height / shrink / side_length))),
              std::max(factor, whole(std::floor(width / shrink / side_length)))};
  } else if (result.height * result.width < min_pixels) {
    const double grow = std::sqrt(static_cast<double>(min_pixels) / (height * width));
    result = {whole(std::ceil(height * grow / side_length)), whole(std::ceil(width * grow / side_length))};
  }
  return result;
}

Image resize(const Image& image, Size size) {
  const bool columns = size.width != image.width, rows = size.height != image.height;
  if (!columns) return rows ? resize_rows(image, size.height) : image;
  const Image across = resize_columns(image, size.width);
  return rows ? resize_rows(across, size.height) : across;
}

}  // namespace compeer::language
