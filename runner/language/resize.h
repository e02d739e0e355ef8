#pragma once
#include <cstdint>
#include <string>

#include "language/image_file.h"

namespace compeer::language {

struct Size {
  int64_t height = 0, width = 0;
  bool operator==(const Size&) const = default;
};

/// The size a picture is brought to before it is cut: sides are multiples of `factor` (halves round to even), the
/// number of pixels lies between the limits as nearly as that allows, and the aspect changes as little as possible.
/// Throws Error (exit 4) naming `where` if one side is more than 200 times the other.
Size smart_resize(Size size, int64_t factor, int64_t min_pixels, int64_t max_pixels, const std::string& where);

/// Bicubic (a = -1/2) with antialiasing, columns first, each pass rounded and clamped to 8 bits: to the bit what
/// torchvision makes of 8-bit pixels, so weights are rounded to 16 bits with one number of binary places per side.
Image resize(const Image& image, Size size);

}  // namespace compeer::language
