// SHA-256 by OpenSSL.
#include "base/hash.h"

#include <openssl/evp.h>

#include <memory>
#include <vector>

#include "base/files.h"

namespace compeer {

namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string hex() {
    unsigned char raw[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    EVP_DigestFinal_ex(context_.get(), raw, &length);
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
      text += "0123456789abcdef"[raw[i] >> 4];
      text += "0123456789abcdef"[raw[i] & 15];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.hex();
}

std::string sha256_file(const std::filesystem::path& file) {
  std::ifstream in = open_to_read(file);
  Digest digest;
  std::vector<char> block(1 << 20);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    digest.add({block.data(), static_cast<size_t>(in.gcount())});
  }
  check_read(in, file);
  return digest.hex();
}

}  // namespace compeer
