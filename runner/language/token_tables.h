#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "language/byte_pairs.h"
#include "language/vocabulary.h"

namespace compeer::language {

/// Largest size of a tokenizer file, in bytes.
constexpr uint64_t largest_table = uint64_t{1} << 29;

/// Vocabulary and merge list of a BPE model. They are most of its file, so they are parsed without building JSON
/// values.
struct TokenTables {
  std::vector<TokenId> vocabulary;
  std::vector<BytePairs::Pair> merges;
};

/// Parses tokenizer.json: fills `tables` from model.vocab and model.merges and returns the rest, with keys in the order
/// of the file. Throws Error (exit 4), naming the file, if it can't be read, is not strict JSON (base/json.h), or has
/// an invalid table.
nlohmann::ordered_json read_tokenizer(const std::filesystem::path& file, TokenTables& tables);

/// Parses vocab.json, an object of tokens and ids. Errors as above, and if it is empty.
std::vector<TokenId> read_vocabulary(const std::filesystem::path& file);

}  // namespace compeer::language
