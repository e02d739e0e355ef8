#include "language/json_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/plain_file.h"

namespace compeer::language {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kDepth = 64;
constexpr size_t kSearched = 100;  // members of an object among which a name that stands twice is looked for

/// Builds a value from the parser's events, and entries of a table where one is being read.
class Builder : public nlohmann::json_sax<Json> {
 public:
  enum class Layout { plain, tokenizer, vocabulary };
  Builder(const std::string& where, Layout layout, TokenTables& tables)
      : where_(where), layout_(layout), tables_(tables) {}

  Json take() { return std::move(root_); }

  bool null() override { return value(nullptr, "null"); }
  bool boolean(bool v) override { return value(v, "true or false"); }
  bool number_integer(number_integer_t v) override {
    return inside(Kind::vocabulary) ? token(v) : value(v, "a number");
  }
  bool number_unsigned(number_unsigned_t v) override {
    const auto id = static_cast<int64_t>(std::min<uint64_t>(v, INT64_MAX));
    return inside(Kind::vocabulary) ? token(id) : value(v, "a number");
  }
  bool number_float(number_float_t v, const string_t&) override { return value(v, "a fraction"); }
  bool string(string_t& v) override {
    if (inside(Kind::merges)) return merge(v);
    if (!inside(Kind::merge)) return value(std::move(v), "a text");
    pair_.push_back(std::move(v));
    return true;
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(size_t) override {
    const bool table = layout_ == Layout::vocabulary ? open_.empty() : stands_at("vocab");
    return open(Json::object(), table ? Kind::vocabulary : Kind::plain, "an object");
  }
  bool key(string_t& name) override {
    if (!inside(Kind::vocabulary) && open_.back().value->size() < kSearched && open_.back().value->contains(name))
      fail(fmt::format("has the name '{}' twice in one object", name.substr(0, 100)));
    name_ = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(size_t) override {
    if (!inside(Kind::merges)) return open(Json::array(), stands_at("merges") ? Kind::merges : Kind::plain, "a list");
    open_.push_back({nullptr, Kind::merge, ""});
    return true;
  }
  bool end_array() override {
    if (inside(Kind::merge)) {
      if (pair_.size() != 2) fail(fmt::format("merge number {} is not a pair", tables_.merges.size() + 1));
      tables_.merges.emplace_back(std::move(pair_[0]), std::move(pair_[1]));
      pair_.clear();
    }
    return close();
  }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) override {
    const std::string what = error.what();
    if (what.find("ill-formed UTF-8") != what.npos) fail("is not UTF-8");
    fail(fmt::format("is not JSON: {}", what.substr(0, 300)));
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(where_, what, "", Exit::data); }

 private:
  enum class Kind { plain, vocabulary, merges, merge };
  struct Open {
    Json* value;
    Kind kind;
    std::string name;  // of the member that it is
  };

  bool inside(Kind kind) const { return !open_.empty() && open_.back().kind == kind; }
  bool stands_at(const char* name) const {
    return layout_ == Layout::tokenizer && open_.size() == 2 && open_[1].name == "model" && name_ == name;
  }

  bool token(int64_t id) {
    tables_.vocabulary.push_back({std::move(name_), id});
    return true;
  }
  bool merge(const std::string& text) {
    const size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
      fail(fmt::format("merge '{}' is not a pair", text.substr(0, 100)));
    tables_.merges.emplace_back(text.substr(0, space), text.substr(space + 1));
    return true;
  }

  Json* place(Json v, const char* what) {
    if (open_.empty()) return &(root_ = std::move(v));
    if (inside(Kind::vocabulary))
      fail(fmt::format("token '{}' has {} where its id should be", name_.substr(0, 100), what));
    if (open_.back().kind != Kind::plain)
      fail(fmt::format("merge number {} holds {}", tables_.merges.size() + 1, what));
    Json& parent = *open_.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(v));
      return &parent.back();
    }
    auto& members = parent.get_ref<Json::object_t&>();
    members.push_back({name_, std::move(v)});
    return &members.back().second;
  }
  template <class T>
  bool value(T v, const char* what) {
    place(Json(std::move(v)), what);
    return true;
  }
  bool open(Json v, Kind kind, const char* what) {
    if (open_.size() >= kDepth) fail(fmt::format("nests more than {} levels", kDepth));
    Json* placed = place(std::move(v), what);
    open_.push_back({placed, kind, std::move(name_)});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& where_;
  Layout layout_;
  TokenTables& tables_;
  Json root_;
  std::vector<Open> open_;  // objects and lists around the place that is being read
  std::string name_;
  std::vector<std::string> pair_;
};

Json parse(const std::string& text, const std::string& where, Builder::Layout layout, TokenTables& tables) {
  Builder builder(where, layout, tables);
  if (text.find('\0') != text.npos) builder.fail("is not JSON: it holds a zero byte");  // the library's end of text
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace

Json parse_json(const std::string& text, const std::string& where) {
  TokenTables none;
  return parse(text, where, Builder::Layout::plain, none);
}

Json read_json(const std::filesystem::path& file) {
  return parse_json(read_plain_file(file, kLargestTable), file.string());
}

Json read_json(const std::filesystem::path& file, TokenTables& tables) {
  return parse(read_plain_file(file, kLargestTable), file.string(), Builder::Layout::tokenizer, tables);
}

std::vector<TokenId> read_vocabulary(const std::filesystem::path& file) {
  TokenTables tables;
  parse(read_plain_file(file, kLargestTable), file.string(), Builder::Layout::vocabulary, tables);
  if (tables.vocabulary.empty()) throw Error(file.string(), "holds no vocabulary", "", Exit::data);
  return std::move(tables.vocabulary);
}

}  // namespace compeer::language
