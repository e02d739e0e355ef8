// Pictures of every kind against what Pillow makes of them: tests/golden/images.json.
#include "language/image_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "base/files.h"
#include "places.h"

namespace compeer::language {
namespace {

namespace fs = std::filesystem;

const fs::path pictures = fs::path(COMPEER_SOURCE_DIR) / "fuzz/corpus/images";

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t b : bytes) text += {"0123456789abcdef"[b / 16], "0123456789abcdef"[b % 16]};
  return text;
}

std::string complaint(const std::string& bytes) {
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

// A PNG header that claims this size.
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
  EXPECT_EQ(complaint(""), "is empty");
  EXPECT_EQ(complaint("GIF89a"), "is neither a PNG nor a JPEG file");
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
    EXPECT_EQ(complaint(whole.substr(0, n)), "is a broken PNG file: ends too early") << n;
}

TEST(ImageFile, EveryTruncationOfAJpegIsAnError) {
  for (const char* name : {"rgb.jpg", "progressive.jpg", "cmyk.jpg"}) {
    const std::string whole = stored(name);
    for (size_t n = 3; n + 2 < whole.size(); ++n)
      EXPECT_TRUE(complaint(whole.substr(0, n)).starts_with("is a broken JPEG file: ")) << name << " " << n;
  }
}

TEST(ImageFile, AFlippedByteInAPngIsFoundByItsChecksum) {
  std::string bytes = stored("rgb.png");
  bytes[bytes.find("IDAT") + 10] ^= 1;
  EXPECT_TRUE(complaint(bytes).starts_with("is a broken PNG file: IDAT: ")) << complaint(bytes);
}

TEST(ImageFile, AbsurdSizesAreRefusedBeforeMemoryIsSpent) {
  EXPECT_EQ(complaint(png_claiming(0, 5)), "is 0 x 5 pixels");
  EXPECT_EQ(complaint(png_claiming(5, 0)), "is 5 x 0 pixels");
  EXPECT_EQ(complaint(png_claiming(10000, 10000)), "is 10000 x 10000 pixels");
  EXPECT_EQ(complaint(png_claiming(1, 100000000)), "is 1 x 100000000 pixels");
  EXPECT_EQ(complaint(png_claiming(0xFFFFFFFF, 0xFFFFFFFF)), "is 4294967295 x 4294967295 pixels");
  std::string jpeg = stored("rgb.jpg");
  const size_t frame = jpeg.find("\xff\xc0");
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_EQ(complaint(jpeg), "is 65500 x 65500 pixels");
}

TEST(ImageFile, AJpegOfTwoColoursIsRefused) {
  std::string jpeg = stored("grey.jpg");
  const size_t frame = jpeg.find("\xff\xc0");
  EXPECT_EQ(jpeg[frame + 9], 1);
  jpeg[frame + 3] = 14;  // one component more: ids, sampling and table
  jpeg[frame + 9] = 2;
  jpeg.insert(frame + 13, std::string("\x02\x11\x00", 3));
  const size_t scan = jpeg.find("\xff\xda");
  jpeg[scan + 3] = 10;
  jpeg[scan + 4] = 2;
  jpeg.insert(scan + 7, std::string("\x02\x00", 2));
  EXPECT_EQ(complaint(jpeg), "has 2 colours");
}

}  // namespace
}  // namespace compeer::language
