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

/// What a tokenizer folder says, read and checked, whichever files say it:
///   tokenizer.json                          all of it, as the library `tokenizers` saves
///   vocab.json, merges.txt                  the tables; how words are split follows from tokenizer_class
///   tokenizer_config.json                   added tokens, the end token, chat templates
///   special_tokens_map.json                 what that file does not name
struct TokenizerFiles {
  std::filesystem::path file;  ///< that has the vocabulary
  Vocabulary vocabulary{{}, ""};
  std::vector<BytePairs::Pair> merges;
  NormalForm normal_form;
  PreTokenizer pre_tokenizer;
  SymbolSettings symbols;
  bool ignore_merges = false;  ///< a word that is a token is that token, whatever the merges say
  TokenDecoder decoder;
  std::vector<AddedToken> added;
  std::map<std::string, std::string> roles;  ///< "eos_token" -> "<|im_end|>"
};

/// Throws Error (exit 4) naming the file and what is wrong or not supported there.
TokenizerFiles read_tokenizer_files(const std::filesystem::path& folder);

/// The part of it that tokenizer.json gives.
void read_tokenizer_json(const std::filesystem::path& file, TokenizerFiles& into);

/// One entry of a list of added tokens.
AddedToken added_token(const nlohmann::ordered_json& entry, int64_t id, const std::string& where);

}  // namespace compeer::language
