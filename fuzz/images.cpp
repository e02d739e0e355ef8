// Input: an image file. It is decoded and cut into patches, and embedded as a data URI.
#include "base/data_uri.h"
#include "input.h"
#include "language/pictures.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  const auto bytes = fuzz::text_of(data, size);
  fuzz::expect_errors_only({Exit::data}, [&] {
    const auto image = language::decode_image(bytes, "picture");
    language::PictureSettings settings;
    settings.max_pixels = 64 * 56 * 56;
    language::make_picture({image}, settings, "picture");
  });
  const fuzz::FileInMemory file(bytes);
  fuzz::expect_errors_only({Exit::data}, [&] { data_uri(file.path()); });
  return 0;
}
