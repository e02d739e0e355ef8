#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::language {

/// Red, green and blue of every pixel, 8 bits each, row by row.
struct Image {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> pixels;  ///< [height, width, 3]
};

/// A PNG or JPEG file as transformers' `load_image` sees it, through Pillow: turned as its EXIF orientation says, then
/// brought to 8-bit RGB. Transparency is left out, not blended; of 16 bits the upper 8 count, but 16-bit grey is cut
/// off at 255; CMYK becomes RGB without a colour profile. Throws Error (exit 4) that names the file: other formats,
/// broken or truncated data, no pixels, 100 megapixels or more. The size is checked before memory is spent on it.
Image read_image(const std::filesystem::path& file);

/// The same for bytes in memory; `where` is what errors name.
Image decode_image(std::string_view bytes, const std::string& where);

}  // namespace compeer::language
