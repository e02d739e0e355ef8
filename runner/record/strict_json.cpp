#include "record/strict_json.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/plain_file.h"

namespace compeer::record {

namespace {

using nlohmann::json;

// Builds the value as the parser goes, on a stack of its own: time in proportion to the text, whatever it holds. (The
// library's parser with a callback looks through a whole object again whenever a value in it ends.)
class Builder : public nlohmann::json_sax<json> {
 public:
  explicit Builder(const std::filesystem::path& file) : file_(file) {}
  json take() { return std::move(root_); }

  bool null() override { return add(nullptr) != nullptr; }
  bool boolean(bool value) override { return add(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return add(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return add(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override { return add(value) != nullptr; }
  bool string(string_t& value) override { return add(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return false; }  // JSON has none

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) refuse(fmt::format("has the key '{}' twice", name));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without the bracketed part
    const std::string message = error.what();
    refuse("is not valid JSON: " + message.substr(message.find(']') + 2));
  }

  [[noreturn]] void refuse(const std::string& what) const { throw Error(file_.string(), what, "", Exit::data); }

 private:
  static constexpr size_t deepest = 64;

  json* add(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[std::move(key_)] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool open(json value) {
    if (open_.size() == deepest) refuse("has JSON nested too deep");
    open_.push_back(add(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const std::filesystem::path& file_;
  json root_;
  std::vector<json*> open_;  // a list grows only when its last value has been closed, so these stay where they are
  string_t key_;
};

}  // namespace

json parse_strict_json(const std::filesystem::path& file, std::string_view text) {
  Builder builder(file);
  // The library takes a zero byte for the end.
  if (text.find('\0') != text.npos) builder.refuse("is not valid JSON: it holds a zero byte");
  json::sax_parse(text.begin(), text.end(), &builder);
  json parsed = builder.take();
  if (!parsed.is_object()) builder.refuse("is not a JSON object");
  return parsed;
}

json read_strict_json(const std::filesystem::path& file) {
  constexpr uint64_t longest = uint64_t{64} << 20;
  return parse_strict_json(file, read_plain_file(file, longest));
}

}  // namespace compeer::record
