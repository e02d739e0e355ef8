#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "language/added_tokens.h"
#include "language/token_tables.h"
#include "language/tokenizer_pipeline.h"

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
  std::vector<BytePairs::Pair> merges;
  Normalizer normal_form;
  PreTokenizer pre_tokenizer;
  SymbolSettings symbols;
  bool ignore_merges = false;  ///< encode a word that is a token as that token, without merges
  TokenDecoder decoder;
  std::vector<AddedToken> added;
  std::map<std::string, std::string> roles;  ///< "eos_token" -> "<|im_end|>"
};

/// Reads a tokenizer folder. Throws Error (exit 4), naming the file, if one is missing or invalid, or uses an
/// unsupported feature.
TokenizerFiles read_tokenizer_files(const std::filesystem::path& folder);

/// Reads tokenizer.json into `into`. Errors as above.
void read_tokenizer_json(const std::filesystem::path& file, TokenizerFiles& into);

/// Parses an entry of a list of added tokens. Throws Error (exit 4), located at `where`, if the id is invalid.
AddedToken added_token(const nlohmann::ordered_json& entry, int64_t id, const std::string& where);

}  // namespace compeer::language
