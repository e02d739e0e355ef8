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
/// Enforces strict JSON: valid UTF-8, no duplicate keys, no zero byte, at most 64 nesting levels. Otherwise throws
/// Error (exit code 4: invalid data). To read part of a file into another form, derive from this class and override the
/// events of that part.
///
/// The public functions that override json_sax are called by the library's parser, in the order of the text. They
/// return true to continue. `Json` is nlohmann::json or nlohmann::ordered_json.
template <class Json>
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  using typename nlohmann::json_sax<Json>::number_integer_t;
  using typename nlohmann::json_sax<Json>::number_unsigned_t;
  using typename nlohmann::json_sax<Json>::number_float_t;
  using typename nlohmann::json_sax<Json>::string_t;
  using typename nlohmann::json_sax<Json>::binary_t;

  /// `where`: location for error messages, such as a file name. Keeps a reference to it.
  explicit JsonBuilder(const std::string& where) : where_(where) {}

  /// Parses `text` and returns its value. To be called once.
  Json parse(std::string_view text) {
    // The library would stop at a zero byte.
    if (text.find('\0') != text.npos) fail("is not valid JSON: it contains a zero byte");
    Json::sax_parse(text.begin(), text.end(), this);
    return std::move(root_);
  }

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

  /// Stores the key of the next member. Throws Error if the object already has it.
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

  /// Throws Error with the library's message.
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
    // Drops the bracketed prefix of "[json.exception.parse_error.101] parse error at line 1, column 2: ...".
    const std::string message = error.what();
    if (message.find("ill-formed UTF-8") != message.npos) fail("is not UTF-8");
    fail("is not valid JSON: " + message.substr(message.find(']') + 2, 300));
    return false;
  }

  /// Throws Error (exit code 4) with the constructor's location and the problem `what`.
  [[noreturn]] void fail(const std::string& what) const { throw Error(where_, what, "", Exit::data); }

 protected:
  static constexpr size_t deepest = 64;  ///< maximum number of nesting levels

  /// Returns the key of the member that is parsed next, for overridden events. Meaningless in an array.
  const std::string& next_key() const { return key_; }
  /// Returns the number of open objects and arrays: those with an end that was not parsed yet.
  size_t depth() const { return open_.size(); }
  /// Returns the key of the open object or array at `level` in its parent object; "" for level 0, the root.
  /// Meaningless if the parent is an array.
  const std::string& key_at(size_t level) const { return open_[level].key; }

 private:
  /// An object or array with an end that was not parsed yet.
  struct OpenValue {
    Json* value;                           ///< the object or array in root_
    std::string key;                       ///< its key in its parent object
    std::unordered_set<std::string> keys;  ///< keys of its members so far; only for ordered_json, to find duplicates
  };

  /// Moves a value into the innermost open object (under key_) or array, or to root_. Returns its address.
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

  /// Adds a plain value.
  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  /// Adds an empty object or array. The following values become its members.
  bool open(Json value) {
    if (open_.size() == deepest) fail(fmt::format("nests more than {} levels", deepest));
    Json* placed = place(std::move(value));
    open_.push_back({placed, std::exchange(key_, {}), {}});
    return true;
  }

  /// Ends the innermost open object or array.
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& where_;  ///< location for error messages
  Json root_;                 ///< the value so far
  /// Open objects and arrays, outermost first. Pointers stay valid: a container grows only while it is the innermost
  /// one.
  std::vector<OpenValue> open_;
  std::string key_;  ///< key of the member that comes next
};

}  // namespace compeer
