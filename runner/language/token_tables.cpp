// Parses the large tables of tokenizer files event by event (SAX).
#include "language/token_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/json_builder.h"

namespace compeer::language {

namespace {

using Json = nlohmann::ordered_json;

/// Builds a JSON value without the tables, whose entries go directly to TokenTables.
class TableReader : public JsonBuilder<Json> {
 public:
  enum class Layout { tokenizer, vocabulary };
  TableReader(const std::string& where, Layout layout, TokenTables& tables)
      : JsonBuilder(where), layout_(layout), tables_(tables) {}

  bool null() override { return within_ == Within::plain ? JsonBuilder::null() : misplaced("null"); }
  bool boolean(bool v) override {
    return within_ == Within::plain ? JsonBuilder::boolean(v) : misplaced("true or false");
  }
  bool number_integer(number_integer_t v) override {
    if (within_ == Within::vocabulary) return token(v);
    return within_ == Within::plain ? JsonBuilder::number_integer(v) : misplaced("a number");
  }
  bool number_unsigned(number_unsigned_t v) override {
    if (within_ == Within::vocabulary) return token(static_cast<int64_t>(std::min<uint64_t>(v, INT64_MAX)));
    return within_ == Within::plain ? JsonBuilder::number_unsigned(v) : misplaced("a number");
  }
  bool number_float(number_float_t v, const string_t& text) override {
    return within_ == Within::plain ? JsonBuilder::number_float(v, text) : misplaced("a fraction");
  }
  bool string(string_t& v) override {
    if (within_ == Within::merges) return merge(v);
    if (within_ == Within::vocabulary) return misplaced("a string");
    if (within_ == Within::plain) return JsonBuilder::string(v);
    pair_.push_back(std::move(v));
    return true;
  }
  bool key(string_t& name) override {
    if (within_ != Within::vocabulary) return JsonBuilder::key(name);
    token_ = std::move(name);  // Vocabulary checks for duplicates
    return true;
  }

  bool start_object(std::size_t size) override {
    if (within_ != Within::plain) return misplaced("an object");
    const bool table = layout_ == Layout::vocabulary ? depth() == 0 : stands_at("vocab");
    if (table) within_ = Within::vocabulary;
    return JsonBuilder::start_object(size);
  }
  bool end_object() override {
    within_ = Within::plain;
    return JsonBuilder::end_object();
  }
  bool start_array(std::size_t size) override {
    if (within_ == Within::merges) {
      within_ = Within::merge;
      return true;
    }
    if (within_ != Within::plain) return misplaced("a list");
    if (stands_at("merges")) within_ = Within::merges;
    return JsonBuilder::start_array(size);
  }
  bool end_array() override {
    if (within_ == Within::merge) return end_merge();
    within_ = Within::plain;
    return JsonBuilder::end_array();
  }

 private:
  enum class Within { plain, vocabulary, merges, merge };

  bool stands_at(const char* name) const {
    return layout_ == Layout::tokenizer && depth() == 2 && key_at(1) == "model" && next_key() == name;
  }

  bool token(int64_t id) {
    tables_.vocabulary.push_back({std::move(token_), id});
    return true;
  }

  bool merge(const std::string& text) {
    const size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
      fail(fmt::format("merge '{}' is not a pair", text.substr(0, 100)));
    tables_.merges.emplace_back(text.substr(0, space), text.substr(space + 1));
    return true;
  }

  bool end_merge() {
    if (pair_.size() != 2) fail(fmt::format("merge number {} is not a pair", tables_.merges.size() + 1));
    tables_.merges.emplace_back(std::move(pair_[0]), std::move(pair_[1]));
    pair_.clear();
    within_ = Within::merges;
    return true;
  }

  [[noreturn]] bool misplaced(const char* what) const {
    if (within_ == Within::vocabulary)
      fail(fmt::format("token '{}' has {} instead of an id", token_.substr(0, 100), what));
    fail(fmt::format("merge number {} contains {}", tables_.merges.size() + 1, what));
  }

  Layout layout_;
  TokenTables& tables_;
  Within within_ = Within::plain;
  std::string token_;  // key of the vocabulary entry being read
  std::vector<std::string> pair_;
};

}  // namespace

Json read_tokenizer(const std::filesystem::path& file, TokenTables& tables) {
  const auto where = file.string();
  return TableReader(where, TableReader::Layout::tokenizer, tables).parse(read_plain_file(file, largest_table));
}

std::vector<TokenId> read_vocabulary(const std::filesystem::path& file) {
  const auto where = file.string();
  TokenTables tables;
  TableReader(where, TableReader::Layout::vocabulary, tables).parse(read_plain_file(file, largest_table));
  if (tables.vocabulary.empty()) throw Error(where, "contains no vocabulary", "", Exit::data);
  return std::move(tables.vocabulary);
}

}  // namespace compeer::language
