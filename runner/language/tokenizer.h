#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "language/added_tokens.h"
#include "language/byte_pairs.h"
#include "language/text.h"
#include "language/tokenizer_pipeline.h"

// Text to token ids and back. Steps of encoding: added tokens are found, the text between them is normalized and split
// into words (pre-tokenizer), and each word is encoded by byte-pair encoding (BPE). A special token, such as
// "<|im_end|>", has a meaning for the model; in messages of users it must be plain text.

namespace compeer::language {

struct TokenizerFiles;

/// The tokenizer of a model folder in Hugging Face layout (tokenizer.json, or vocab.json and merges.txt): byte-level
/// BPE, as in Qwen2, GPT-2 and Llama 3, or character BPE with byte fallback, as in SentencePiece models such as Llama 2
/// and Mistral. Thread-safe.
class Tokenizer {
 public:
  /// Loads the tokenizer of a folder; if an adapter folder has none, that of its base model. Throws Error (exit code 4:
  /// invalid data), naming the file, if it is missing or invalid, or uses an unsupported feature.
  static Tokenizer load(const std::filesystem::path& folder);

  /// Returns the ids of a text. Nothing is added: post-processors are not run, and a beginning-of-text token comes from
  /// the chat template only. Added tokens that are not special ("<reply>") are always recognised, special ones
  /// ("<|im_end|>") only if `special`. Bytes that are not UTF-8 become U+FFFD; bytes without a token are dropped
  /// (`lost_bytes`).
  std::vector<int32_t> encode(std::string_view text, bool special = false) const;

  /// The same, recognising special tokens except where they overlap one of the spans `plain` (ascending, not
  /// overlapping). Spans have no other effect: words may cross their edges. Throws Error (exit code 4) if `text` is not
  /// UTF-8.
  std::vector<int32_t> encode(std::string_view text, std::span<const ByteSpan> plain) const;

  /// True if `text` can be encoded separately: appended to any other text, its ids follow those of the other text
  /// unchanged. False unless it begins with a token that is recognised outside the spans `plain`.
  bool is_separable(std::string_view text, std::span<const ByteSpan> plain) const;

  /// Returns the text of ids as valid UTF-8; incomplete characters become U+FFFD, unknown ids nothing. `keep_special`:
  /// include special tokens. Removes a space at the start if the tokenizer file requires it.
  std::string decode(std::span<const int32_t> ids, bool keep_special = false) const;

  /// Returns the bytes of one token, which may be part of a character; empty for an unknown id.
  std::string_view bytes(int32_t id, bool keep_special = false) const;

  /// True for SentencePiece's byte tokens ("<0x0A>"); a run of them is decoded as a whole.
  bool is_byte(int32_t id) const;
  /// Returns the rules for decoding.
  const TokenDecoder& decoder() const { return decoder_; }

  /// Number of the 256 byte values that have no token and are dropped when text is encoded.
  int lost_bytes() const { return pairs_.symbols().lost_bytes(); }

  /// True if a token has this id. A model's vocabulary may be larger than its tokenizer's.
  bool has_id(int32_t id) const;

  /// Largest id plus 1: the number of rows that a model's embedding needs.
  int64_t size() const { return size_; }
  /// Returns the id of an added token by its text. Throws Error (exit code 4) if there is none with this text.
  int32_t id(const std::string& token) const;
  /// True if there is an added token with this text.
  bool recognises(const std::string& token) const { return added_ids_.contains(token); }
  /// Returns the id of the token that ends a turn, eos_token in the config. Throws Error (exit code 4) if there is
  /// none.
  int32_t end_token() const;

  /// The folder that the tokenizer was loaded from: the base's, if an adapter folder has none.
  const std::filesystem::path& folder() const { return folder_; }
  /// Texts of special tokens by their name in the config: "eos_token", "bos_token", ...
  const std::map<std::string, std::string>& roles() const { return roles_; }

  /// Copies the tokenizer files, chat templates and generation_config.json to another model folder.
  void save(const std::filesystem::path& folder) const;
  /// Names of the files that `save` copies, whether or not a folder has them.
  static std::span<const char* const> file_names();

 private:
  Tokenizer(std::filesystem::path folder, TokenizerFiles&& files);
  // Checks and stores the added tokens. `where`: name of the file in errors.
  void add_tokens(std::vector<AddedToken> added, const std::string& where);

  // The steps of `encode`; each calls the next and appends to `ids`. `first`: `text` begins the encoded text. `plain`:
  // spans of `text` without special tokens.

  // Encodes valid UTF-8: finds added tokens before normalization.
  std::vector<int32_t> encode_valid(std::string_view text, std::span<const ByteSpan> plain) const;
  // Encodes text between such tokens: normalizes it and finds added tokens again.
  void encode_piece(std::string_view text, bool first, std::vector<ByteSpan> plain, std::vector<int32_t>& ids) const;
  // Splits normalized text without added tokens into words and encodes each.
  void encode_words(std::string_view text, bool first, std::vector<int32_t>& ids) const;
  // Encodes one word by BPE.
  void encode_word(std::string_view word, std::vector<int32_t>& ids) const;

  std::filesystem::path folder_;
  std::string file_;                          // the file with the vocabulary, for errors
  std::map<std::string, std::string> roles_;  // result of `roles`
  Normalizer normal_form_;
  PreTokenizer pre_tokenizer_;
  bool byte_level_;     // tokens are spelled as GPT-2 spells bytes
  bool ignore_merges_;  // a word that is a token is encoded as that token, without merges
  TokenDecoder decoder_;
  Vocabulary vocabulary_;
  BytePairs pairs_;
  AddedTokens raw_{{}}, normalized_{{}};  // added tokens that are matched before and after normalization
  struct Added {
    AddedToken token;
    std::string bytes;  // the bytes that it is decoded to
  };
  std::unordered_map<int32_t, Added> added_;            // added tokens by id
  std::unordered_map<std::string, int32_t> added_ids_;  // their ids by text
  int64_t size_ = 0;                                    // largest id plus 1
};

}  // namespace compeer::language
