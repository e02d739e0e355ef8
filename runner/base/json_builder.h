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

/// Builds a value as the library's parser goes, on a stack of its own: time in proportion to the text, whatever it
/// holds. (The library's parser with a callback looks through a whole object again whenever a value in it ends.)
///
/// Keeps what strict JSON promises (json.h), so every complaint is an Error (exit 4) with `where`. A reader that wants
/// a part of a file in another form derives from it and takes the events of that part for itself.
template <class Json>
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  using typename nlohmann::json_sax<Json>::number_integer_t;
  using typename nlohmann::json_sax<Json>::number_unsigned_t;
  using typename nlohmann::json_sax<Json>::number_float_t;
  using typename nlohmann::json_sax<Json>::string_t;
  using typename nlohmann::json_sax<Json>::binary_t;

  explicit JsonBuilder(const std::string& where) : where_(where) {}

  Json parse(std::string_view text) {
    // The library takes a zero byte for the end.
    if (text.find('\0') != text.npos) fail("is not valid JSON: it holds a zero byte");
    Json::sax_parse(text.begin(), text.end(), this);
    return std::move(root_);
  }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON has none

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    bool is_new = true;
    if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) {
      is_new = open_.back().keys.insert(name).second;  // it looks for a key from front to end
    } else {
      is_new = !open_.back().value->contains(name);
    }
    if (!is_new) fail(fmt::format("has the key '{}' twice", name.substr(0, 100)));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without the bracketed part
    const std::string message = error.what();
    if (message.find("ill-formed UTF-8") != message.npos) fail("is not UTF-8");
    fail("is not valid JSON: " + message.substr(message.find(']') + 2, 300));
    return false;
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(where_, what, "", Exit::data); }

 protected:
  static constexpr size_t deepest = 64;

  /// The key of the member that is being read, and those of the objects and lists around it.
  const std::string& next_key() const { return key_; }
  size_t depth() const { return open_.size(); }
  const std::string& key_at(size_t level) const { return open_[level].key; }

 private:
  struct OpenValue {
    Json* value;
    std::string key;
    std::unordered_set<std::string> keys;
  };

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
  Json root_;
  std::vector<OpenValue> open_;  // an object or list grows only when its last value is closed, so these stay in place
  std::string key_;
};

}  // namespace compeer
