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

// Bounds-checked reading of untrusted binary files (GGUF, zip archives).

namespace compeer::gguf {

/// Returns untrusted text for use in an error message: control characters replaced, truncated to 200 bytes.
std::string sanitized(std::string_view text);

/// The help text of errors about a truncated file.
inline constexpr const char* truncated_help = "copy or download the file again: it may be incomplete";

/// Reads a file's bytes in order, with bounds checks. Functions throw Error (exit code 4: the file is truncated or
/// invalid) if too few bytes are left; `of` names the item that is being read, for the message: "metadata
/// 'llama.block_count'".
class Cursor {
 public:
  /// Begins at the first of `bytes`. Keeps references to them and to `where`, the name of the file in error messages.
  Cursor(std::span<const std::byte> bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  /// Throws Error (exit code 4) about this file. `what`: the problem, as a predicate ("has no tensors"); `help`: the
  /// remedy.
  [[noreturn]] void refuse(const std::string& what, const std::string& help = "") const {
    throw Error(where_, what, help, Exit::data);
  }

  uint64_t at() const { return at_; }                    ///< number of bytes read
  uint64_t rest() const { return bytes_.size() - at_; }  ///< number of bytes left

  /// Returns the next `count` bytes, which are part of the constructor's `bytes`, and moves behind them.
  std::span<const std::byte> take(uint64_t count, const std::string& of) {
    if (count > rest())
      refuse(fmt::format("ends within {}: {} bytes are required from byte {} on, but only {} remain", of, count, at_,
                         rest()),
             truncated_help);
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

  /// Reads a string: its length (uint64), then UTF-8. Throws Error (exit code 4) if it is longer than `longest` bytes
  /// or not UTF-8.
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
  const std::string& where_;  // name of the file in error messages
  uint64_t at_ = 0;           // number of bytes read
};

}  // namespace compeer::gguf
