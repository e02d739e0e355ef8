// Base64 by OpenSSL, whose decoder accepts more than the format allows; the checks here are strict.
#include "base/data_uri.h"

#include <openssl/evp.h>

#include "base/error.h"
#include "base/files.h"

namespace compeer {

std::string data_uri(const std::filesystem::path& picture) {
  constexpr uint64_t largest = uint64_t{1} << 30;  // OpenSSL takes the size as an int
  const std::string bytes = read_file(picture, largest);
  const bool png = bytes.starts_with("\x89PNG\r\n\x1a\n"), jpeg = bytes.starts_with("\xff\xd8\xff");
  if (!png && !jpeg) throw Error(picture.string(), "is not a picture", "use a PNG or JPEG file", Exit::data);
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL also writes a terminating zero
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(length));
  return std::string("data:image/") + (png ? "png" : "jpeg") + ";base64," + text;
}

std::optional<std::string> bytes_of_data_uri(const std::string& uri) {
  const auto comma = uri.find(',');
  const auto type = uri.substr(0, comma);
  if (comma == std::string::npos ||
      (type != "data:image/png;base64" && type != "data:image/jpeg;base64" && type != "data:image/jpg;base64"))
    return {};
  const std::string_view coded = std::string_view(uri).substr(comma + 1);
  // OpenSSL ignores surrounding white space and decodes each '=' of the padding to a zero byte.
  const auto body = coded.substr(0, coded.find('='));
  const auto padding = coded.size() - body.size();
  const bool letters =
      body.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") == body.npos;
  if (coded.empty() || coded.size() % 4 != 0 || padding > 2 || !letters || coded.size() > (size_t{1} << 30)) return {};
  if (coded.substr(body.size()).find_first_not_of('=') != coded.npos) return {};
  std::string bytes(coded.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(coded.data()), static_cast<int>(coded.size())) < 0)
    return {};
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace compeer
