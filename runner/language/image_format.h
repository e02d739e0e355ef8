#pragma once
#include <csetjmp>
#include <string>
#include <string_view>

#include "language/image_file.h"

namespace compeer::language {

/// What the formats have in common. libpng and libjpeg leave by longjmp when they fail, which may not cross an object
/// that has a destructor: `attempt` is the only place it lands, and what runs inside holds plain values only.
struct Attempt {
  std::jmp_buf landing;
  char message[256] = "";

  /// False if `work(self)` failed; the message says why.
  template <class Self>
  bool run(void (*work)(Self&), Self& self) {
    if (setjmp(landing) != 0) return false;
    work(self);
    return true;
  }
};

/// Throws Error (exit 4) unless the size may be read: at least one pixel, fewer than 100 megapixels.
void check_size(int64_t height, int64_t width, const std::string& where);

/// Throws Error (exit 4): the file is broken, and how.
[[noreturn]] void broken(const std::string& where, const std::string& format, const std::string& why);

struct Decoded {
  Image image;
  int orientation = 1;  ///< EXIF's number: 1 upright, 3 upside down, 6 and 8 on a side, even of each pair mirrored
};
Decoded decode_png(std::string_view bytes, const std::string& where);
Decoded decode_jpeg(std::string_view bytes, const std::string& where);

/// The orientation that EXIF data (a TIFF file) names; 1 if it names none.
int exif_orientation(std::string_view tiff);

}  // namespace compeer::language
