// A tokenizer.json made of anything, and texts through it.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "language/tokenizer.h"

namespace {

std::filesystem::path folder() {
  const auto path = std::filesystem::temp_directory_path() / ("fuzz-tokenizer-" + std::to_string(::getpid()));
  std::filesystem::create_directories(path);
  std::ofstream(path / "tokenizer_config.json") << R"({"eos_token":"<|im_end|>"})";
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto where = folder();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::ofstream(where / "tokenizer.json", std::ios::binary) << bytes;
  try {
    const auto tokenizer = compeer::language::Tokenizer::load(where);
    for (const std::string_view text : {bytes.substr(0, 300), std::string_view("caf\xC3\xA9 12  <|im_end|>\xFF")}) {
      tokenizer.decode(tokenizer.encode(text), true);
      tokenizer.decode(tokenizer.encode(text, true));
    }
  } catch (const compeer::Error& error) {
    if (error.exit() != compeer::Exit::data) throw;
  }
  return 0;
}
