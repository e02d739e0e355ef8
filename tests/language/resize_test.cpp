// Sizes of tests/golden/vl, and resampling against numbers worked out by hand.
#include "language/resize.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "places.h"

namespace compeer::language {
namespace {

Image grey(int64_t height, int64_t width, const std::vector<uint8_t>& values) {
  Image image{height, width, {}};
  for (const uint8_t v : values) image.pixels.insert(image.pixels.end(), 3, v);
  return image;
}

TEST(SmartResize, FollowsTheReferenceTable) {
  std::ifstream in(COMPEER_SOURCE_DIR "/tests/golden/vl/golden.json");
  const auto table = nlohmann::json::parse(in).at("smart_resize");
  ASSERT_FALSE(table.empty());
  for (const auto& row : table) {
    const Size size = smart_resize({row.at("height"), row.at("width")}, row.at("factor"), row.at("min_pixels"),
                                   row.at("max_pixels"), "x");
    EXPECT_EQ(size, (Size{row.at("resized")[0], row.at("resized")[1]})) << row;
  }
}

TEST(SmartResize, HalvesRoundToEven) {
  EXPECT_EQ(smart_resize({42, 70}, 28, 1, 1 << 20, "x"), (Size{56, 56}));
  EXPECT_EQ(smart_resize({98, 126}, 28, 1, 1 << 20, "x"), (Size{112, 112}));
}

TEST(SmartResize, RefusesStrips) {
  EXPECT_EQ(smart_resize({1, 200}, 28, 3136, 1 << 20, "x"), (Size{28, 812}));
  try {
    smart_resize({1, 201}, 28, 3136, 1 << 20, "strip.png");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "strip.png: is 201 x 1 pixels\n  help: one side may be 200 times the other, not more");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST(Resize, AnEvenSurfaceStaysEven) {
  const Image image = resize(grey(5, 7, std::vector<uint8_t>(35, 200)), {12, 3});
  EXPECT_EQ(image.height, 12);
  EXPECT_EQ(image.width, 3);
  EXPECT_EQ(image.pixels, std::vector<uint8_t>(108, 200));
}

// Twice the size: the centre of place 3 is at 1.75, a quarter from 2's. Weights of the cubic with a = -1/2 at distances
// 1.25, 0.25, 0.75, 1.75: -0.0703125, 0.8671875, 0.2265625, -0.0234375 for places 0 to 3 from the left neighbour on.
TEST(Resize, WeighsNeighboursByTheCubic) {
  const Image image = resize(grey(1, 6, {0, 0, 100, 0, 0, 0}), {1, 12});
  std::vector<int> row;
  for (size_t i = 0; i < image.pixels.size(); i += 3) row.push_back(image.pixels[i]);
  // From 0.23 and 0.87 of 100; overshoot is clamped at 0.
  EXPECT_EQ(row, (std::vector<int>{0, 0, 0, 23, 87, 87, 23, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace compeer::language
