#pragma once
#include <boost/config.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace compeer {

/// The policy's tokenizer.
class BOOST_SYMBOL_VISIBLE TextTokenizer {
 public:
  virtual ~TextTokenizer() = default;

  /// The tokens of a text. Special tokens in it are plain text.
  virtual std::vector<int32_t> encode(const std::string& text) const = 0;

  /// The text of tokens, without special ones. A token may be a part of a character: take them together.
  virtual std::string decode(std::span<const int32_t> tokens) const = 0;
};

}  // namespace compeer
