#pragma once
#include <csetjmp>
#include <string>
#include <string_view>

#include "language/image_file.h"

// Shared by the decoders of image files, the only users of libpng and libjpeg. In all functions, `where` names the file
// in errors.

namespace compeer::language {

/// Runs calls of libpng and libjpeg, which report errors by longjmp. A longjmp must not skip destructors, so it lands
/// only in `run`, and functions that `run` calls have only trivial local variables.
struct Attempt {
  std::jmp_buf landing;    ///< target of the library's error callback: longjmp(landing, 1)
  char message[256] = "";  ///< set by the library's error callback before longjmp

  /// Calls `work(self)`. Returns false if it failed; then `message` has the reason.
  template <class Self>
  bool run(void (*work)(Self&), Self& self) {
    if (setjmp(landing) != 0) return false;
    work(self);
    return true;
  }
};

/// Throws Error (exit code 4: invalid data) if an image has no pixels, or 100 megapixels or more.
void check_size(int64_t height, int64_t width, const std::string& where);

/// Throws Error (exit code 4): the file is damaged. `format`: "PNG" or "JPEG". `why`: the library's reason.
[[noreturn]] void broken(const std::string& where, const std::string& format, const std::string& why);

/// An image as stored, with the orientation still to be applied.
struct Decoded {
  Image image;
  int orientation = 1;  ///< EXIF orientation, 1 to 8; 1: upright
};
/// Decode the contents of a PNG file and of a JPEG file. Throw Error (exit code 4) if it is damaged or too large.
Decoded decode_png(std::string_view bytes, const std::string& where);
Decoded decode_jpeg(std::string_view bytes, const std::string& where);

/// Returns the orientation, 1 to 8, in EXIF data (a TIFF file); 1 if there is none.
int exif_orientation(std::string_view tiff);

}  // namespace compeer::language
