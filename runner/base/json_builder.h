#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"

namespace compeer {

/// SAX handler that builds a JSON value with an explicit stack, in time linear in the text. (The library's own parser
/// with a callback scans a whole object again whenever one of its values ends.)
///
/// Enforces strict JSON (json.h): all errors are an Error (exit 4) at `where`. To read part of a file into another
/// form, derive from this class and override the events of that part.
template <class Json>
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  using typename nlohmann::json_sax<Json>::number_integer_t;
  using typename nlohmann::json_sax<Json>::number_unsigned_t;
  using typename nlohmann::json_sax<Json>::number_float_t;
  using typename nlohmann::json_sax<Json>::string_t;
  using typename nlohmann::json_sax<Json>::binary_t;

  /// `where`: name of the file or text in errors. Keeps a reference to it.
  explicit JsonBuilder(const std::string& where) : where_(where) {}

  /// Returns the value of `text`. To be called once.
  Json parse(std::string_view text) {
    // The library would stop at a zero byte.
    if (text.find('\0') != text.npos) fail("is not valid JSON: it contains a zero byte");
    Json::sax_parse(text.begin(), text.end(), this);
    return std::move(root_);
  }

  // Events of the parser; true: continue.
  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // does not occur in JSON text

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    bool is_new = true;
    if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) {
      is_new = open_.back().keys.insert(name).second;  // ordered_json's own lookup is a linear search
    } else {
      is_new = !open_.back().value->contains(name);
    }
    if (!is_new) fail(fmt::format("has the key '{}' twice", name.substr(0, 100)));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
    // Drops the bracketed prefix of "[json.exception.parse_error.101] parse error at line 1, column 2: ...".
    const std::string message = error.what();
    if (message.find("ill-formed UTF-8") != message.npos) fail("is not UTF-8");
    fail("is not valid JSON: " + message.substr(message.find(']') + 2, 300));
    return false;
  }

  /// Throws Error (exit 4) at `where`.
  [[noreturn]] void fail(const std::string& what) const { throw Error(where_, what, "", Exit::data); }

 protected:
  static constexpr size_t deepest = 64;  ///< maximum nesting of objects and arrays

  /// Key of the member whose value comes next. Meaningless in an array.
  const std::string& next_key() const { return key_; }
  /// Number of objects and arrays that are open.
  size_t depth() const { return open_.size(); }
  /// Key of the open object or array at `level` in its parent object; level 0 is the root, whose key is empty.
  /// Meaningless if the parent is an array.
  const std::string& key_at(size_t level) const { return open_[level].key; }

 private:
  // An object or array whose end has not been parsed yet.
  struct OpenValue {
    Json* value;                           // in `root_`
    std::string key;                       // its key in the parent object
    std::unordered_set<std::string> keys;  // keys of its members so far; used for ordered_json only
  };

  // Moves a value into the innermost open object (under `key_`) or array, or into `root_`. Returns its address.
  Json* place(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Json& parent = *open_.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) {
      auto& members = parent.template get_ref<typename Json::object_t&>();
      members.push_back({key_, std::move(value)});
      return &members.back().second;
    } else {
      return &(parent[key_] = std::move(value));
    }
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json value) {
    if (open_.size() == deepest) fail(fmt::format("nests more than {} levels", deepest));
    Json* placed = place(std::move(value));
    open_.push_back({placed, std::exchange(key_, {}), {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& where_;
  Json root_;                    // the result
  std::vector<OpenValue> open_;  // pointers stay valid: a container grows only while it is the innermost open one
  std::string key_;              // key of the next member
};

}  // namespace compeer
