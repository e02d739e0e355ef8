#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Reads the picture files of prompts for vision models.

namespace compeer::language {

/// An RGB image with 8 bits per channel.
struct Image {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> pixels;  ///< [height, width, 3]
};

/// Reads a PNG or JPEG file with the same result as transformers' `load_image` through Pillow: applies the EXIF
/// orientation and converts to 8-bit RGB. An alpha channel is dropped, not blended; 16-bit colour keeps the upper 8
/// bits, but 16-bit grey is clamped to 255; CMYK becomes RGB without a colour profile. Throws Error (exit code 4:
/// invalid data), naming
/// the file, for other formats, broken or truncated data, no pixels, or 100 megapixels and more. The size is checked
/// before memory for pixels is allocated.
Image read_image(const std::filesystem::path& file);

/// The same for a file in memory; `where` names it in errors.
Image decode_image(std::string_view bytes, const std::string& where);

}  // namespace compeer::language
