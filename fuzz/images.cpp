// A picture made of anything, and the patches of what was read.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "language/pictures.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  try {
    const auto image = language::decode_image({reinterpret_cast<const char*>(data), size}, "picture");
    language::PictureSettings settings;
    settings.max_pixels = 64 * 56 * 56;
    language::make_picture({image}, settings, "picture");
  } catch (const Error& error) {
    if (error.exit() != Exit::data) throw;
  }
  return 0;
}
