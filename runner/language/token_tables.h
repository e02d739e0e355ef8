#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "language/byte_pairs.h"
#include "language/vocabulary.h"

namespace compeer::language {

/// The most bytes that a file of a tokenizer may have.
constexpr uint64_t kLargestTable = uint64_t{1} << 29;

/// The two tables of a byte-pair model. They are most of its file, so they never become JSON values.
struct TokenTables {
  std::vector<TokenId> vocabulary;
  std::vector<BytePairs::Pair> merges;
};

/// A JSON file without its tables, objects in the order of the file. Throws Error (exit 4) naming the file: it can't be
/// read, is no JSON, nests too deeply, or a name stands twice in an object.
nlohmann::ordered_json read_json(const std::filesystem::path& file);

/// tokenizer.json: the tables are those at model.vocab and model.merges.
nlohmann::ordered_json read_json(const std::filesystem::path& file, TokenTables& tables);

/// vocab.json: the whole file is the table.
std::vector<TokenId> read_vocabulary(const std::filesystem::path& file);

/// The same for text that did not come from a file of its own; `where` names it in errors.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& where);

}  // namespace compeer::language
