#include "base/data_uri.h"

#include <openssl/evp.h>

#include "base/error.h"
#include "base/files.h"

namespace compeer {

std::string data_uri(const std::filesystem::path& picture) {
  constexpr uint64_t largest = uint64_t{1} << 30;  // OpenSSL counts bytes in an int
  const std::string bytes = read_file(picture, largest);
  const bool png = bytes.starts_with("\x89PNG\r\n\x1a\n"), jpeg = bytes.starts_with("\xff\xd8\xff");
  if (!png && !jpeg) throw Error(picture.string(), "is no picture", "PNG and JPEG files are", Exit::data);
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL writes an end, too
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(length));
  return std::string("data:image/") + (png ? "png" : "jpeg") + ";base64," + text;
}

}  // namespace compeer
