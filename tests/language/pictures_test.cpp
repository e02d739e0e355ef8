// From pixels to patches: worked out by hand for a tiny image, and compared with tests/golden/vl.
#include "language/pictures.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "../record/temporary_folder.h"
#include "base/error.h"
#include "base/files.h"
#include "language/image_file.h"
#include "language/resize.h"
#include "places.h"

namespace compeer::language {
namespace {

using nlohmann::json;
using record::TemporaryFolder;

const std::filesystem::path golden_folder = std::filesystem::path(COMPEER_SOURCE_DIR) / "tests/golden/vl";

// Patches of one pixel, merged 2 x 2, with normalization that changes no value.
PictureSettings plain(int64_t slots) {
  PictureSettings s;
  s.min_pixels = 1;
  s.patch_size = 1;
  s.temporal_patch_size = slots;
  s.mean = {0, 0, 0};
  s.std_dev = {1, 1, 1};
  s.rescale_factor = 1;
  return s;
}

// An image whose red values count from `first`; green is 10 more, blue 20 more.
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
    EXPECT_STREQ(error.what(), "video: has frames of 2 x 2 and 4 x 2 pixels\n  help: use frames of the same size");
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
            "preprocessor_config.json: 'do_resize' must be true: this step is always applied");
  EXPECT_EQ(complaint({{"resample", 2}}), "preprocessor_config.json: 'resample' must be 3, bicubic");
  EXPECT_EQ(complaint(json::array()), "preprocessor_config.json: is not a JSON object");
}

TEST_F(PictureSettingsFile, AFolderWithoutThemIsNamed) {
  EXPECT_TRUE(
      record::complaint([&] { PictureSettings::load(folder.path()); }).ends_with(": has no preprocessor_config.json"));
}

// The image files that messages refer to.

json message(const json& part) {
  return json::array({{{"role", "user"}, {"content", json::array({part, {{"type", "text"}, {"text", "Look."}}})}}});
}

std::string complaint(const json& part) {
  try {
    picture_parts(message(part), {}, "line 3");
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "line 3");
    EXPECT_EQ(error.exit(), Exit::data);
    return error.problem();
  }
  return "nothing";
}

TEST(PictureParts, StandInTheOrderOfTheMessages) {
  json messages = message({{"type", "image"}, {"image", "a.png"}});
  messages.push_back({{"role", "assistant"}, {"content", "A cat."}});
  messages.push_back(message({{"type", "image"}, {"url", "file:///tmp/b.jpg"}})[0]);
  const auto parts = picture_parts(messages, {}, "x");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].frames, (std::vector<std::filesystem::path>{"a.png"}));
  EXPECT_EQ(parts[1].frames, (std::vector<std::filesystem::path>{"/tmp/b.jpg"}));
}

TEST(PictureParts, VideosAreTheirFrames) {
  const auto parts =
      picture_parts(message({{"type", "video"}, {"video", {"1.png", "2.png", "3.png"}}, {"fps", 4}}), {}, "x");
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].frames.size(), 3u);
  EXPECT_EQ(parts[0].seconds, 0.5);  // at 4 frames per second, two frames per temporary patch
  EXPECT_EQ(picture_parts(message({{"type", "video"}, {"video", "1.png"}}), {}, "x")[0].seconds, 1.0);
}

TEST(PictureParts, WhatIsNoFileIsNamed) {
  EXPECT_EQ(complaint({{"type", "image"}}), "a part of type image has no file name");
  EXPECT_EQ(complaint({{"type", "image"}, {"image", 7}}), "a picture must be a file name, not 7");
  EXPECT_EQ(complaint({{"type", "image"}, {"url", "https://example.org/a.png"}}),
            "'https://example.org/a.png' is not a file name");
  EXPECT_EQ(complaint({{"type", "image"}, {"image", {"1.png", "2.png"}}}), "a part of type image contains a list");
  EXPECT_EQ(complaint({{"type", "video"}, {"video", json::array()}}), "a video has no frames");
  EXPECT_EQ(complaint({{"type", "video"}, {"video", {"1.png"}}, {"fps", 0}}), "fps is 0");
}

TEST(PictureList, NamesFilesAndVideos) {
  const auto list = picture_list(json::array({"a.png", json::array({"1.png", "2.png"})}), "x");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1].frames.size(), 2u);
  EXPECT_FALSE(list[0].seconds);
  EXPECT_EQ(list[1].seconds, 1.0);
  EXPECT_THROW(picture_list("a.png", "x"), Error);
}

// Images of every kind compared with Pillow's decoding: tests/golden/images.json.

namespace fs = std::filesystem;

const fs::path pictures = fs::path(COMPEER_SOURCE_DIR) / "fuzz/corpus/images";

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t b : bytes) text += {"0123456789abcdef"[b / 16], "0123456789abcdef"[b % 16]};
  return text;
}

std::string decoding_complaint(const std::string& bytes) {
  try {
    decode_image(bytes, "x");
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    EXPECT_EQ(error.where(), "x");
    return error.problem();
  }
  return "nothing";
}

std::string stored(const char* name) { return read_file(pictures / name); }

// Returns a PNG with a header that claims this size.
std::string png_claiming(uint32_t width, uint32_t height) {
  std::string bytes = stored("rgb.png");
  for (int i = 0; i < 4; ++i) {
    bytes[static_cast<size_t>(16 + i)] = static_cast<char>(width >> (24 - 8 * i));
    bytes[static_cast<size_t>(20 + i)] = static_cast<char>(height >> (24 - 8 * i));
  }
  return bytes;
}

TEST(ImageFile, HasThePixelsThatPillowFinds) {
  std::ifstream in(fs::path(COMPEER_SOURCE_DIR) / "tests/golden/images.json");
  const auto expected = nlohmann::json::parse(in);
  ASSERT_EQ(expected.size(), 18u);
  for (const auto& [name, reference] : expected.items()) {
    const Image image = read_image(pictures / name);
    EXPECT_EQ(image.height, reference.at("height")) << name;
    EXPECT_EQ(image.width, reference.at("width")) << name;
    EXPECT_EQ(hex(image.pixels), reference.at("pixels")) << name;
  }
}

TEST(ImageFile, OtherFormatsAreNamed) {
  EXPECT_EQ(decoding_complaint(""), "is empty");
  EXPECT_EQ(decoding_complaint("GIF89a"), "is neither a PNG nor a JPEG file");
  try {
    read_image("/no/such/picture.png");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    EXPECT_EQ(error.where(), "/no/such/picture.png");
  }
}

TEST(ImageFile, EveryTruncationOfAPngIsAnErrorUntilThePixelsAreComplete) {
  const std::string whole = stored("rgb.png");
  const size_t pixels_end = whole.find("IEND") - 4;
  for (size_t n = 9; n < pixels_end - 4; ++n)
    EXPECT_EQ(decoding_complaint(whole.substr(0, n)), "is a damaged PNG file: ends too early") << n;
}

TEST(ImageFile, EveryTruncationOfAJpegIsAnError) {
  for (const char* name : {"rgb.jpg", "progressive.jpg", "cmyk.jpg"}) {
    const std::string whole = stored(name);
    for (size_t n = 3; n + 2 < whole.size(); ++n)
      EXPECT_TRUE(decoding_complaint(whole.substr(0, n)).starts_with("is a damaged JPEG file: ")) << name << " " << n;
  }
}

TEST(ImageFile, AFlippedByteInAPngIsFoundByItsChecksum) {
  std::string bytes = stored("rgb.png");
  bytes[bytes.find("IDAT") + 10] ^= 1;
  EXPECT_TRUE(decoding_complaint(bytes).starts_with("is a damaged PNG file: IDAT: ")) << decoding_complaint(bytes);
}

TEST(ImageFile, AbsurdSizesAreRefusedBeforeMemoryIsSpent) {
  EXPECT_EQ(decoding_complaint(png_claiming(0, 5)), "is 0 x 5 pixels");
  EXPECT_EQ(decoding_complaint(png_claiming(5, 0)), "is 5 x 0 pixels");
  EXPECT_EQ(decoding_complaint(png_claiming(10000, 10000)), "is 10000 x 10000 pixels");
  EXPECT_EQ(decoding_complaint(png_claiming(1, 100000000)), "is 1 x 100000000 pixels");
  EXPECT_EQ(decoding_complaint(png_claiming(0xFFFFFFFF, 0xFFFFFFFF)), "is 4294967295 x 4294967295 pixels");
  std::string jpeg = stored("rgb.jpg");
  const size_t frame = jpeg.find("\xff\xc0");
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_EQ(decoding_complaint(jpeg), "is 65500 x 65500 pixels");
}

TEST(ImageFile, AJpegOfTwoColoursIsRefused) {
  std::string jpeg = stored("grey.jpg");
  const size_t frame = jpeg.find("\xff\xc0");
  EXPECT_EQ(jpeg[frame + 9], 1);
  jpeg[frame + 3] = 14;  // one component more (id, sampling factors, table)
  jpeg[frame + 9] = 2;
  jpeg.insert(frame + 13, std::string("\x02\x11\x00", 3));
  const size_t scan = jpeg.find("\xff\xda");
  jpeg[scan + 3] = 10;
  jpeg[scan + 4] = 2;
  jpeg.insert(scan + 7, std::string("\x02\x00", 2));
  EXPECT_EQ(decoding_complaint(jpeg), "has 2 color channels");
}

// Image sizes of tests/golden/vl, and resampling worked out by hand.

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
    EXPECT_STREQ(error.what(),
                 "strip.png: is 201 x 1 pixels\n  help: the longer side may be at most 200 times the shorter");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST(Resize, AnEvenSurfaceStaysEven) {
  const Image image = resize(grey(5, 7, std::vector<uint8_t>(35, 200)), {12, 3});
  EXPECT_EQ(image.height, 12);
  EXPECT_EQ(image.width, 3);
  EXPECT_EQ(image.pixels, std::vector<uint8_t>(108, 200));
}

// Doubling the size: the centre of output pixel 3 is at 1.75 input pixels, 0.25 from the centre of pixel 1. Cubic
// weights with a = -1/2 at distances 1.25, 0.25, 0.75, 1.75: -0.0703125, 0.8671875, 0.2265625, -0.0234375 for input
// pixels 0 to 3.
TEST(Resize, WeighsNeighboursByTheCubic) {
  const Image image = resize(grey(1, 6, {0, 0, 100, 0, 0, 0}), {1, 12});
  std::vector<int> row;
  for (size_t i = 0; i < image.pixels.size(); i += 3) row.push_back(image.pixels[i]);
  // 0.23 and 0.87 times 100; negative overshoot is clamped to 0.
  EXPECT_EQ(row, (std::vector<int>{0, 0, 0, 23, 87, 87, 23, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace compeer::language
