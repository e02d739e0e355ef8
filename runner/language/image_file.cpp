// Decodes image files of either format and applies their EXIF orientation.
#include "language/image_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "language/image_format.h"

namespace compeer::language {

namespace {

constexpr int64_t too_many_pixels = 100'000'000;
constexpr uint64_t largest_file = uint64_t{1} << 30;

// Applies an EXIF orientation: pixel (y, x) of the result is pixel (row, column) of the stored image.
Image turned(const Image& stored, int orientation) {
  const bool on_side = orientation >= 5;
  const bool rows_back = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool columns_back = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  Image upright{on_side ? stored.width : stored.height, on_side ? stored.height : stored.width, {}};
  upright.pixels.resize(stored.pixels.size());
  auto* out = upright.pixels.data();
  for (int64_t y = 0; y < upright.height; ++y) {
    for (int64_t x = 0; x < upright.width; ++x, out += 3) {
      int64_t row = on_side ? x : y, column = on_side ? y : x;
      if (rows_back) row = stored.height - 1 - row;
      if (columns_back) column = stored.width - 1 - column;
      std::copy_n(stored.pixels.data() + 3 * (row * stored.width + column), 3, out);
    }
  }
  return upright;
}

}  // namespace

void check_size(int64_t height, int64_t width, const std::string& where) {
  const auto size = fmt::format("is {} x {} pixels", width, height);
  if (height < 1 || width < 1) throw Error(where, size, "use a picture with at least one pixel", Exit::data);
  if (height >= too_many_pixels || width >= too_many_pixels || height * width >= too_many_pixels)
    throw Error(where, size, "use a picture of less than 100 megapixels", Exit::data);
}

void broken(const std::string& where, const std::string& format, const std::string& why) {
  throw Error(where, fmt::format("is a damaged {} file: {}", format, why), "", Exit::data);
}

int exif_orientation(std::string_view tiff) {
  if (tiff.size() < 8) return 1;
  const bool little = tiff.substr(0, 2) == "II";
  if (!little && tiff.substr(0, 2) != "MM") return 1;
  const auto number = [&](size_t at, size_t bytes) -> uint64_t {
    if (bytes > tiff.size() || at > tiff.size() - bytes) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i)
      value = value << 8 | static_cast<uint8_t>(tiff[at + (little ? bytes - 1 - i : i)]);
    return value;
  };
  const auto directory = static_cast<size_t>(number(4, 4));
  const auto entries = static_cast<size_t>(number(directory, 2));
  constexpr uint64_t orientation_tag = 0x0112, short_type = 3;
  for (size_t i = 0, at = directory + 2; i < entries && at < tiff.size(); ++i, at += 12) {
    if (number(at, 2) != orientation_tag || number(at + 2, 2) != short_type) continue;
    const auto value = number(at + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Image decode_image(std::string_view bytes, const std::string& where) {
  Decoded decoded;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) {
    decoded = decode_png(bytes, where);
  } else if (bytes.starts_with("\xff\xd8\xff")) {
    decoded = decode_jpeg(bytes, where);
  } else {
    throw Error(where, bytes.empty() ? "is empty" : "is neither a PNG nor a JPEG file", "use a PNG or JPEG file",
                Exit::data);
  }
  return decoded.orientation == 1 ? std::move(decoded.image) : turned(decoded.image, decoded.orientation);
}

Image read_image(const std::filesystem::path& file) {
  return decode_image(read_file(file, largest_file), file.string());
}

}  // namespace compeer::language
