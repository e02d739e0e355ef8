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

namespace compeer::language {

struct TokenizerFiles;

/// The tokenizer of a model folder of the Hugging Face layout (tokenizer_files.h): BPE, byte-level as Qwen2, GPT-2 and
/// Llama 3 have it, or of characters with tokens for the bytes of others, as SentencePiece makes it for Llama 2 and
/// Mistral. May be used by several threads at once.
class Tokenizer {
 public:
  /// Throws Error (exit 4) naming the file and what is wrong or not supported.
  static Tokenizer load(const std::filesystem::path& folder);

  /// Ids of a text, none added to them, whatever the file's post-processor would add: a beginning-of-text comes from
  /// the chat template alone. Added tokens that are not special ("<reply>") are recognised always; special ones
  /// ("<|im_end|>") only if asked for: in what people and models write they are plain text. Bytes that are not UTF-8
  /// become U+FFFD; those that no token spells vanish (`lost_bytes`).
  std::vector<int32_t> encode(std::string_view text, bool special = false) const;

  /// Special tokens are recognised except where they touch one of the spans `plain` (in order, apart). Apart from
  /// that, spans change nothing: words go across their edges. `text` must be UTF-8, or Error (exit 4).
  std::vector<int32_t> encode(std::string_view text, std::span<const ByteSpan> plain) const;

  /// Whether this text, which begins with a token outside the spans `plain`, may be encoded by itself: behind any other
  /// text the ids are those of the one and then those of the other.
  bool parts(std::string_view text, std::span<const ByteSpan> plain) const;

  /// UTF-8; bytes that form no character become U+FFFD. An id that no token has stands for nothing. Where the file says
  /// so, a space at the begin is left out.
  std::string decode(std::span<const int32_t> ids, bool keep_special = false) const;

  /// What one token stands for: bytes that need not be whole characters.
  std::string_view bytes(int32_t id, bool keep_special = false) const;

  /// Whether it is one of SentencePiece's tokens for a byte: a run of those is text only as a whole (text_stream.h).
  bool is_byte(int32_t id) const;
  const TokenDecoder& decoder() const { return decoder_; }

  /// How many of the 256 bytes no token spells: they vanish from what is encoded.
  int lost_bytes() const { return pairs_.symbols().lost_bytes(); }

  /// Whether a token has this id. Models may have more rows than their tokenizer has tokens.
  bool knows(int32_t id) const;

  /// One more than the largest id: the rows a model's embedding needs.
  int64_t size() const { return size_; }
  /// The id of an added token; throws Error (exit 4) if the tokenizer has none of that name.
  int32_t id(const std::string& token) const;
  bool recognises(const std::string& token) const { return added_ids_.contains(token); }
  /// Ends a turn: the config's eos_token. Throws Error (exit 4) if there is none.
  int32_t end() const;

  const std::filesystem::path& folder() const { return folder_; }
  /// Tokens by what the config calls them: "eos_token", "bos_token", ...
  const std::map<std::string, std::string>& roles() const { return roles_; }

  /// Copies the folder's tokenizer files and chat templates, so that a saved model is complete.
  void save(const std::filesystem::path& folder) const;
  /// Their names, whether or not a folder has them.
  static std::span<const char* const> file_names();

 private:
  Tokenizer(std::filesystem::path folder, TokenizerFiles&& files);
  void add_tokens(std::vector<AddedToken> added, const std::string& where);
  std::vector<int32_t> encode_valid(std::string_view text, std::span<const ByteSpan> plain) const;
  void encode_piece(std::string_view text, bool first, std::vector<ByteSpan> plain, std::vector<int32_t>& ids) const;
  void encode_words(std::string_view text, bool first, std::vector<int32_t>& ids) const;
  void encode_word(std::string_view word, std::vector<int32_t>& ids) const;

  std::filesystem::path folder_;
  std::string file_;  // that has the vocabulary
  std::map<std::string, std::string> roles_;
  NormalForm normal_form_;
  PreTokenizer pre_tokenizer_;
  bool byte_level_, ignore_merges_;
  TokenDecoder decoder_;
  Vocabulary vocabulary_;
  BytePairs pairs_;
  AddedTokens raw_{{}}, normalized_{{}};  // looked for before and after the normal form
  struct Added {
    AddedToken token;
    std::string bytes;  // what it stands for
  };
  std::unordered_map<int32_t, Added> added_;
  std::unordered_map<std::string, int32_t> added_ids_;
  int64_t size_ = 0;
};

}  // namespace compeer::language
