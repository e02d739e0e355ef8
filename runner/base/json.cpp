// A fast reader for the most common JSON, which falls back to nlohmann's library, and strict readers on JsonBuilder.
#include "base/json.h"

#include <array>
#include <cstdint>

#include "base/error.h"
#include "base/files.h"
#include "base/json_builder.h"
#include "base/text.h"

namespace compeer {

using nlohmann::json;

namespace {

// True for bytes that a JSON string contains unescaped. This includes all bytes >= 0x80: the text was checked to be
// well-formed UTF-8 before.
constexpr auto plain = [] {
  std::array<bool, 256> table{};
  for (size_t c = 0x20; c < table.size(); ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

// Appends a code point below U+10000.
void add_utf8(unsigned code, std::string& text) {
  const auto add = [&](unsigned byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

// Parses well-formed UTF-8. Functions return false if the library must parse the text instead: it is invalid, or uses
// something that is not implemented here.
class StrictJsonReader {
 public:
  explicit StrictJsonReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  // Parses the whole text into `value`.
  bool whole(json& value) {
    if (!this->value(value, 0)) return false;
    skip_space();
    return at_ == end_;
  }

 private:
  static constexpr int deepest = 64;

  void skip_space() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  bool next(char c) {
    skip_space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool word(std::string_view letters) {
    if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(letters)) return false;
    at_ += letters.size();
    return true;
  }

  bool value(json& into, int depth) {
    skip_space();
    if (at_ == end_ || depth > deepest) return false;
    switch (*at_) {
      case '{':
        return object(into, depth);
      case '[':
        return list(into, depth);
      case '"':
        into = json::value_t::string;
        return text(into.get_ref<std::string&>());
      case 't':
        into = true;
        return word("true");
      case 'f':
        into = false;
        return word("false");
      case 'n':
        into = nullptr;
        return word("null");
      default:
        return number(into);
    }
  }

  bool object(json& into, int depth) {
    into = json::value_t::object;
    auto& members = into.get_ref<json::object_t&>();
    ++at_;
    if (next('}')) return true;
    do {
      skip_space();
      std::string key;
      if (at_ == end_ || *at_ != '"' || !text(key) || !next(':')) return false;
      // The last of several equal keys counts. The hint `end()` makes insertion of sorted keys, the usual case, fast.
      if (!value(members.try_emplace(members.end(), std::move(key))->second, depth + 1)) return false;
    } while (next(','));
    return next('}');
  }

  bool list(json& into, int depth) {
    into = json::value_t::array;
    auto& elements = into.get_ref<json::array_t&>();
    ++at_;
    if (next(']')) return true;
    do {
      if (!value(elements.emplace_back(), depth + 1)) return false;
    } while (next(','));
    return next(']');
  }

  bool text(std::string& into) {
    const char* begin = ++at_;
    while (at_ < end_ && plain[static_cast<unsigned char>(*at_)]) ++at_;
    into.assign(begin, at_);
    while (at_ < end_ && *at_ != '"') {
      if (*at_ != '\\' || !escaped(into)) return false;
      begin = at_;
      while (at_ < end_ && plain[static_cast<unsigned char>(*at_)]) ++at_;
      into.append(begin, at_);
    }
    return at_++ < end_;
  }

  bool escaped(std::string& into) {
    if (end_ - at_ < 2) return false;
    const char what = at_[1];
    at_ += 2;
    switch (what) {
      case '"':
      case '\\':
      case '/':
        into += what;
        return true;
      case 'b':
        into += '\b';
        return true;
      case 'f':
        into += '\f';
        return true;
      case 'n':
        into += '\n';
        return true;
      case 'r':
        into += '\r';
        return true;
      case 't':
        into += '\t';
        return true;
      case 'u':
        return code(into);
      default:
        return false;
    }
  }

  // Parses the digits after "\u". Surrogates are left to the library.
  bool code(std::string& into) {
    if (end_ - at_ < 4) return false;
    unsigned code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = *at_;
      const bool digit = c >= '0' && c <= '9', small = c >= 'a' && c <= 'f', large = c >= 'A' && c <= 'F';
      if (!digit && !small && !large) return false;
      code = code * 16 + static_cast<unsigned>(digit ? c - '0' : small ? c - 'a' + 10 : c - 'A' + 10);
    }
    if (code >= 0xD800 && code < 0xE000) return false;
    add_utf8(code, into);
    return true;
  }

  // Parses an integer of at most 18 digits. Any other number is cut out and parsed by the library.
  bool number(json& into) {
    const char* begin = at_;
    uint64_t sum = 0;
    while (at_ < end_ && *at_ >= '0' && *at_ <= '9') sum = sum * 10 + static_cast<uint64_t>(*at_++ - '0');
    const auto digits = at_ - begin;
    const auto goes_on = [&] {
      return at_ < end_ && std::string_view("0123456789+-.eE").find(*at_) != std::string_view::npos;
    };
    if (digits > 0 && digits < 19 && (*begin != '0' || digits == 1) && !goes_on()) {
      into = sum;
      return true;
    }
    while (goes_on()) ++at_;
    into = json::parse(begin, at_, nullptr, false);
    return !into.is_discarded();
  }

  const char *at_, *end_;
};

}  // namespace

bool nests_too_deeply(std::string_view text, int deepest) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      if (++depth > deepest) return true;
    } else if (!quoted && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return false;
}

namespace {

std::string read_text(const std::filesystem::path& file, uint64_t most) {
  auto text = read_plain_file(file, most);
  refuse_utf16(text, file.string());
  return text;
}

}  // namespace

template <class Json>
Json parse_strict_json(std::string_view text, const std::string& where) {
  return JsonBuilder<Json>(where).parse(text);
}

template <class Json>
Json read_strict_json(const std::filesystem::path& file, uint64_t most) {
  return parse_strict_json<Json>(read_text(file, most), file.string());
}

template <class Json>
Json parse_json_object(std::string_view text, const std::string& where) {
  auto value = parse_strict_json<Json>(text, where);
  if (!value.is_object()) throw Error(where, "is not a JSON object", "", Exit::data);
  return value;
}

template <class Json>
Json read_json_object(const std::filesystem::path& file, uint64_t most) {
  return parse_json_object<Json>(read_text(file, most), file.string());
}

template json parse_strict_json(std::string_view, const std::string&);
template json read_strict_json(const std::filesystem::path&, uint64_t);
template json parse_json_object(std::string_view, const std::string&);
template json read_json_object(const std::filesystem::path&, uint64_t);
template nlohmann::ordered_json parse_strict_json(std::string_view, const std::string&);
template nlohmann::ordered_json read_strict_json(const std::filesystem::path&, uint64_t);
template nlohmann::ordered_json parse_json_object(std::string_view, const std::string&);
template nlohmann::ordered_json read_json_object(const std::filesystem::path&, uint64_t);

json parse_json(std::string_view text) {
  json value;
  if (first_broken(text) == text.size() && StrictJsonReader(text).whole(value)) return value;
  if (nests_too_deeply(text)) return json::value_t::discarded;
  return json::parse(text, nullptr, false);
}

}  // namespace compeer
