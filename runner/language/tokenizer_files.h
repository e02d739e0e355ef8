#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "language/added_tokens.h"
#include "language/token_tables.h"
#include "language/tokenizer_pipeline.h"

// Reads the files of a tokenizer for `Tokenizer::load`.

namespace compeer::language {

/// The parsed and checked contents of a tokenizer folder, in either layout:
///   tokenizer.json                          the whole tokenizer, as saved by the library `tokenizers`
///   vocab.json, merges.txt                  the tables only; tokenizer_class determines how words are split
/// with, in both,
///   tokenizer_config.json                   added tokens, special tokens
///   special_tokens_map.json                 special tokens that tokenizer_config.json does not name
struct TokenizerFiles {
  std::filesystem::path file;  ///< the file with the vocabulary
  Vocabulary vocabulary{{}, ""};
  std::vector<BytePairs::Pair> merges;       ///< BPE merges in order of rank
  Normalizer normal_form;                    ///< changes text before it is split into words
  PreTokenizer pre_tokenizer;                ///< splits text into words
  SymbolSettings symbols;                    ///< initial symbols of a word, before merges
  bool ignore_merges = false;                ///< encode a word that is a token as that token, without merges
  TokenDecoder decoder;                      ///< converts tokens to text
  std::vector<AddedToken> added;             ///< tokens that are matched as a whole, special ones included
  std::map<std::string, std::string> roles;  ///< special tokens by name: "eos_token" -> "<|im_end|>"
};

/// Reads a tokenizer folder. Throws Error (exit code 4: invalid data), naming the file, if one is missing or invalid,
/// or uses an unsupported feature.
TokenizerFiles read_tokenizer_files(const std::filesystem::path& folder);

/// Reads tokenizer.json into `into`. Throws like `read_tokenizer_files`.
void read_tokenizer_json(const std::filesystem::path& file, TokenizerFiles& into);

/// Parses an entry of a list of added tokens, an object with "content" and flags. `id`: its id. Throws Error (exit code
/// 4), located at `where`, if the id is invalid.
AddedToken added_token(const nlohmann::ordered_json& entry, int64_t id, const std::string& where);

}  // namespace compeer::language
