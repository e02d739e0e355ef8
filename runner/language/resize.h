#pragma once
#include <cstdint>
#include <string>

#include "language/image_file.h"

// Resizes pictures for vision models.

namespace compeer::language {

/// A size in pixels.
struct Size {
  int64_t height = 0, width = 0;
  bool operator==(const Size&) const = default;
};

/// Returns the size to resize a picture to before it is cut into patches: sides are multiples of `factor` pixels
/// (rounded half to even), the number of pixels is within the limits as far as that allows, and the aspect ratio
/// changes as little as possible. Throws Error (exit code 4: invalid data), located at `where`, if one side is more
/// than 200 times the other.
Size smart_resize(Size size, int64_t factor, int64_t min_pixels, int64_t max_pixels, const std::string& where);

/// Resizes an image to `size` by bicubic interpolation (a = -1/2) with antialiasing, horizontally first; each pass is
/// rounded and clamped to 8 bits. Bitwise identical to torchvision for 8-bit images: weights are 16-bit fixed point,
/// with one number of fractional bits per side.
Image resize(const Image& image, Size size);

}  // namespace compeer::language
