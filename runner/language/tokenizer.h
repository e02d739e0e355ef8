#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "language/byte_pairs.h"
#include "language/splitter.h"

namespace compeer::language {

/// A tokenizer folder of the Hugging Face layout: tokenizer.json (byte-level BPE), tokenizer_config.json.
class Tokenizer {
 public:
  /// Throws Error (exit 4) naming the file and what is not supported.
  static Tokenizer load(const std::filesystem::path& folder);

  /// Ids of a text. Added tokens that are not special ("<reply>") are recognised always; special ones ("<|im_end|>")
  /// only if asked for: in what people and models write they are plain text.
  std::vector<int32_t> encode(std::string_view text, bool special = false) const;

  /// UTF-8; bytes that form no character become U+FFFD.
  std::string decode(std::span<const int32_t> ids, bool keep_special = false) const;

  /// One more than the largest id: the rows a model's embedding needs.
  int64_t size() const { return size_; }
  /// The id of an added token; throws Error (exit 4) if the tokenizer has none of that name.
  int32_t id(const std::string& token) const;
  int32_t end() const { return end_; }  ///< ends a turn: the config's eos_token

  /// Copies the folder's tokenizer files, so that a saved model is complete.
  void save(const std::filesystem::path& folder) const;

 private:
  struct Added {
    std::string text;
    int32_t id;
    bool special;
  };
  Tokenizer(std::filesystem::path folder, Splitter splitter, BytePairs pairs, bool nfc);
  const Added* added_at(std::string_view text, bool special) const;
  void encode_plain(std::string_view text, std::vector<int32_t>& ids) const;

  std::filesystem::path folder_;
  Splitter splitter_;
  BytePairs pairs_;
  bool nfc_;
  std::vector<Added> added_;  // longest first
  int64_t size_ = 0;
  int32_t end_ = -1;
};

}  // namespace compeer::language
