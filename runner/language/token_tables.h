#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "language/byte_pairs.h"
#include "language/vocabulary.h"

namespace compeer::language {

/// The most bytes that a file of a tokenizer may have.
constexpr uint64_t largest_table = uint64_t{1} << 29;

/// The two tables of a byte-pair model. They are most of its file, so they never become JSON values.
struct TokenTables {
  std::vector<TokenId> vocabulary;
  std::vector<BytePairs::Pair> merges;
};

/// tokenizer.json without its tables, which are those at model.vocab and model.merges; objects in the order of the
/// file. Throws Error (exit 4) naming the file: it can't be read, is no strict JSON (base/json.h), or no such table.
nlohmann::ordered_json read_tokenizer(const std::filesystem::path& file, TokenTables& tables);

/// vocab.json: the whole file is the table.
std::vector<TokenId> read_vocabulary(const std::filesystem::path& file);

}  // namespace compeer::language
