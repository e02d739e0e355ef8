#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "language/byte_pairs.h"
#include "language/vocabulary.h"

// Reads the two large tables of tokenizer files.

namespace compeer::language {

/// Largest size of a tokenizer file, in bytes.
constexpr uint64_t largest_table = uint64_t{1} << 29;

/// Vocabulary and merge list of a BPE model. They are most of its file, so they are parsed without building JSON
/// values.
struct TokenTables {
  std::vector<TokenId> vocabulary;      ///< in the order of the file
  std::vector<BytePairs::Pair> merges;  ///< in order of rank
};

/// Parses tokenizer.json: fills `tables` from model.vocab and model.merges and returns the rest, with keys in the order
/// of the file. Throws Error (exit code 4: invalid data), naming the file, if it can't be read, is not strict JSON
/// (base/json.h), or has an invalid table.
nlohmann::ordered_json read_tokenizer(const std::filesystem::path& file, TokenTables& tables);

/// Parses vocab.json, an object from token to id. Throws Error (exit code 4), naming the file, if it can't be read, is
/// invalid or is empty.
std::vector<TokenId> read_vocabulary(const std::filesystem::path& file);

}  // namespace compeer::language
