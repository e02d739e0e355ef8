// From pixels to patches: by hand on a tiny picture, and against tests/golden/vl.
#include "language/pictures.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "../record/temporary_folder.h"
#include "base/error.h"
#include "places.h"

namespace compeer::language {
namespace {

using nlohmann::json;
using record::TemporaryFolder;

const std::filesystem::path golden_folder = std::filesystem::path(COMPEER_SOURCE_DIR) / "tests/golden/vl";

// Patches of one pixel, units of 2 x 2, and numbers that stay what they are.
PictureSettings plain(int64_t slots) {
  PictureSettings s;
  s.min_pixels = 1;
  s.patch_size = 1;
  s.temporal_patch_size = slots;
  s.mean = {0, 0, 0};
  s.deviation = {1, 1, 1};
  s.rescale_factor = 1;
  return s;
}

// Red counts pixels from `first`, green is 10 more, blue 20.
Image counting(int64_t height, int64_t width, int first = 0) {
  Image image{height, width, {}};
  for (int i = 0; i < height * width; ++i) {
    for (const int c : {0, 10, 20}) image.pixels.push_back(static_cast<uint8_t>(first + i + c));
  }
  return image;
}

std::vector<int> reds(const Picture& picture, size_t patch) {
  std::vector<int> all;
  for (size_t i = 0; i < picture.patches.size(); i += patch) all.push_back(static_cast<int>(picture.patches[i]));
  return all;
}

TEST(MakePicture, ListsPatchesUnitAfterUnit) {
  const Picture picture = make_picture({counting(2, 4)}, plain(1), "x");
  EXPECT_EQ(picture.time, 1);
  EXPECT_EQ(picture.height, 2);
  EXPECT_EQ(picture.width, 4);
  EXPECT_EQ(reds(picture, 3), (std::vector<int>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(placeholders(picture, plain(1)), 2);
}

TEST(MakePicture, ShowsAStillTwiceToTheTower) {
  const Picture picture = make_picture({counting(2, 2)}, plain(2), "x");
  EXPECT_EQ(std::vector<float>(picture.patches.begin(), picture.patches.begin() + 6),
            (std::vector<float>{0, 0, 10, 10, 20, 20}));
}

TEST(MakePicture, PairsTheFramesOfAVideoAndRepeatsTheLast) {
  const Picture picture = make_picture({counting(2, 2), counting(2, 2, 50), counting(2, 2, 100)}, plain(2), "x");
  EXPECT_EQ(picture.time, 2);
  EXPECT_EQ(std::vector<float>(picture.patches.begin(), picture.patches.begin() + 6),
            (std::vector<float>{0, 50, 10, 60, 20, 70}));
  EXPECT_EQ(std::vector<float>(picture.patches.begin() + 24, picture.patches.begin() + 30),
            (std::vector<float>{100, 100, 110, 110, 120, 120}));
  EXPECT_EQ(placeholders(picture, plain(2)), 2);
}

TEST(MakePicture, FramesHaveOneSize) {
  try {
    make_picture({counting(2, 2), counting(2, 4)}, plain(2), "video");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "video: has frames of 2 x 2 and 4 x 2 pixels\n  help: the frames of a video have one size");
  }
}

TEST(MakePicture, AgreesWithTheReferenceProcessor) {
  std::ifstream in(golden_folder / "golden.json");
  const json golden = json::parse(in);
  const auto settings = PictureSettings::load(golden_folder);
  for (const json& image : golden.at("images")) {
    const Picture picture = read_picture({golden_folder / image.at("file").get<std::string>()}, settings);
    EXPECT_EQ((std::vector<int64_t>{picture.time, picture.height, picture.width}),
              image.at("grid_thw").get<std::vector<int64_t>>());
    EXPECT_EQ(placeholders(picture, settings), image.at("tokens"));
    double sum = 0, sizes = 0;
    for (const float value : picture.patches) sum += value, sizes += std::abs(value);
    EXPECT_NEAR(sum, image.at("sum").get<double>(), 1e-6) << image.at("file");
    EXPECT_NEAR(sizes, image.at("abs_sum").get<double>(), 1e-6) << image.at("file");
  }
}

class PictureSettingsFile : public testing::Test {
 protected:
  PictureSettings load(const json& table, const char* name = "preprocessor_config.json") {
    std::ofstream(folder / name) << table.dump();
    return PictureSettings::load(folder.path());
  }
  std::string complaint(const json& table) {
    return record::complaint([&] { load(table); });
  }
  TemporaryFolder folder;
};

TEST_F(PictureSettingsFile, ReadsBothWaysToSayTheLimits) {
  const auto older = load({{"min_pixels", 100}, {"max_pixels", 200}, {"patch_size", 16}});
  EXPECT_EQ(older.min_pixels, 100);
  EXPECT_EQ(older.max_pixels, 200);
  EXPECT_EQ(older.patch_size, 16);
  const auto newer = load({{"size", {{"shortest_edge", 300}, {"longest_edge", 400}}}});
  EXPECT_EQ(newer.min_pixels, 300);
  EXPECT_EQ(newer.max_pixels, 400);
}

TEST_F(PictureSettingsFile, ReadsWhatNewerProcessorsSave) {
  EXPECT_EQ(load({{"image_processor", {{"merge_size", 3}}}}, "processor_config.json").merge_size, 3);
}

TEST_F(PictureSettingsFile, WrongValuesAreNamed) {
  EXPECT_EQ(complaint({{"patch_size", 0}}),
            "preprocessor_config.json: 'patch_size' must be a whole number from 1 to 1024");
  EXPECT_EQ(complaint({{"min_pixels", 10}, {"max_pixels", 5}}),
            "preprocessor_config.json: 'min_pixels' must not be larger than max_pixels");
  EXPECT_EQ(complaint({{"image_mean", {1, 2}}}), "preprocessor_config.json: 'image_mean' must be three numbers");
  EXPECT_EQ(complaint({{"image_std", {1, 0, 1}}}), "preprocessor_config.json: 'image_std' must be above 0");
  EXPECT_EQ(complaint({{"do_resize", false}}),
            "preprocessor_config.json: 'do_resize' must be true: pictures always take this step");
  EXPECT_EQ(complaint({{"resample", 2}}), "preprocessor_config.json: 'resample' must be 3, bicubic");
  EXPECT_EQ(complaint(json::array()), "preprocessor_config.json: is not a JSON object");
}

TEST_F(PictureSettingsFile, AFolderWithoutThemIsNamed) {
  EXPECT_TRUE(
      record::complaint([&] { PictureSettings::load(folder.path()); }).ends_with(": has no preprocessor_config.json"));
}

}  // namespace
}  // namespace compeer::language
