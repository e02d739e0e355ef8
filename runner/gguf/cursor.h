#pragma once
#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"
#include "base/text.h"

namespace compeer::gguf {

/// Returns untrusted text for use in an error message: control characters replaced, truncated to 200 bytes.
std::string sanitized(std::string_view text);

/// Help for a truncated file.
inline constexpr const char* cut_off = "copy or download the file again: it may be incomplete";

/// Reads a file's bytes in order, with bounds checks. Functions throw Error (exit 4) at the end of the bytes; `of`
/// names the item that is being read, for the message: "metadata 'llama.block_count'".
class Cursor {
 public:
  /// Keeps references to `bytes` and `where`, the name of the file.
  Cursor(std::span<const std::byte> bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  /// Throws Error (exit 4) for this file.
  [[noreturn]] void refuse(const std::string& what, const std::string& help = "") const {
    throw Error(where_, what, help, Exit::data);
  }

  uint64_t at() const { return at_; }                    ///< number of bytes read
  uint64_t rest() const { return bytes_.size() - at_; }  ///< number of bytes left

  /// Returns the next `count` bytes.
  std::span<const std::byte> take(uint64_t count, const std::string& of) {
    if (count > rest())
      refuse(fmt::format("ends within {}: {} bytes are required from byte {} on, but only {} remain", of, count, at_,
                         rest()),
             cut_off);
    const auto taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }

  /// Reads a little-endian integer or IEEE 754 number.
  template <class T>
  T number(const std::string& of) {
    uint64_t value = 0;
    const auto bytes = take(sizeof(T), of);
    for (size_t i = sizeof(T); i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
    if constexpr (std::is_same_v<T, float>) {
      return std::bit_cast<float>(static_cast<uint32_t>(value));
    } else if constexpr (std::is_same_v<T, double>) {
      return std::bit_cast<double>(value);
    } else {
      return static_cast<T>(value);
    }
  }

  /// Reads a string: its length (uint64), then UTF-8. Throws Error (exit 4) if it is longer than `longest` bytes or not
  /// UTF-8.
  std::string text(const std::string& of, size_t longest = SIZE_MAX) {
    const auto length = number<uint64_t>(of);
    if (length > longest) refuse(fmt::format("{} has {} bytes, at most {} are supported", of, length, longest));
    const auto bytes = take(length, of);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (const size_t broken = first_broken(text); broken < text.size())
      refuse(fmt::format("{} is not UTF-8 from its byte {} on", of, broken));
    return text;
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& where_;
  uint64_t at_ = 0;
};

}  // namespace compeer::gguf
