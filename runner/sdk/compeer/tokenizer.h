#pragma once
#include <boost/config.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace compeer {

/// The tokenizer of the policy (the model that the run trains or evaluates). Plugins get it by Host::tokenizer.
class BOOST_SYMBOL_VISIBLE TextTokenizer {
 public:
  virtual ~TextTokenizer() = default;

  /// Returns the tokens of a text. Special tokens in it are treated as plain text.
  virtual std::vector<int32_t> encode(const std::string& text) const = 0;

  /// Returns the text of tokens, without special tokens. A character may span several tokens: decode them together.
  virtual std::string decode(std::span<const int32_t> tokens) const = 0;
};

}  // namespace compeer
