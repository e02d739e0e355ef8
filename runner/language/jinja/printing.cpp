// Values as text, as Python and json.dumps print them.
#include "language/jinja/printing.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace compeer::language::jinja {

namespace {

std::string bare_text(const Value& value, bool json) {
  if (value.none()) return json ? "null" : "None";
  if (const auto* v = std::get_if<bool>(&value.any()))
    return *v ? (json ? "true" : "True") : (json ? "false" : "False");
  if (const auto* v = std::get_if<int64_t>(&value.any())) return std::to_string(*v);
  if (const auto* v = std::get_if<double>(&value.any())) {
    if (json && std::isnan(*v)) return "NaN";
    if (json && std::isinf(*v)) return *v > 0 ? "Infinity" : "-Infinity";
    return number_text(*v);
  }
  throw TemplateError(std::string(value.kind()) + (json ? " can't be written as JSON" : " can't be printed"));
}

bool printable(int32_t code) {
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    case UTF8PROC_CATEGORY_ZS:
      return code == ' ';
    default:
      return true;
  }
}

std::string python_escape(int32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  const auto number = static_cast<uint32_t>(code);
  return code < 0x100     ? fmt::format("\\x{:02x}", number)
         : code < 0x10000 ? fmt::format("\\u{:04x}", number)
                          : fmt::format("\\U{:08x}", number);
}

std::string json_escape(int32_t code, bool ascii) {
  static constexpr std::string_view escaped = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  if (code < 0x80) {
    const size_t known = escaped.find(static_cast<char>(code));
    if (known != std::string_view::npos) return {'\\', letters[known]};
  }
  const auto number = static_cast<uint32_t>(code);
  if (code < 0x20) return fmt::format("\\u{:04x}", number);
  if (!ascii || code < 0x80) return "";
  if (code < 0x10000) return fmt::format("\\u{:04x}", number);
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((number - 0x10000) >> 10), 0xDC00 + (number & 0x3FF));
}

// Replaces each character by escape(code); keeps it if that is empty.
template <class Escape>
Text escaped(const Text& text, const Escape& escape) {
  Text result;
  size_t plain = 0;
  for (size_t at = 0; at < text.size();) {
    const auto [code, length] = first_character(std::string_view(text.bytes()).substr(at));
    if (const std::string instead = escape(code); !instead.empty()) {
      result.append(text.substr(plain, at));
      result.append(instead, text.is_data(at));
      plain = at + length;
    }
    at += length;
  }
  result.append(text.substr(plain, text.size()));
  return result;
}

Text quoted_text(const Text& text) {
  const bool both = text.bytes().find('\'') != std::string::npos && text.bytes().find('"') == std::string::npos;
  const char quote = both ? '"' : '\'';
  Text result(std::string(1, quote));
  result.append(escaped(text, [&](int32_t code) -> std::string {
    if (code == quote || code == '\\') return {'\\', static_cast<char>(code)};
    return printable(code) ? "" : python_escape(code);
  }));
  result.append(std::string(1, quote), false);
  return result;
}

void append_items(Text& result, const std::vector<Value>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result.append(", ", false);
    result.append(quoted(items[i]));
  }
}

class Json {
 public:
  explicit Json(const JsonStyle& style) : style_(style) {}

  void write(const Value& value) {
    if (value.text()) return write(*value.text());
    if (value.list()) return write(*value.list());
    if (value.dict()) return write(*value.dict());
    out_.append(bare_text(value, true), false);
  }
  Text result() { return std::move(out_); }

 private:
  void write(const Text& text) {
    out_.append("\"", false);
    out_.append(escaped(text, [&](int32_t code) { return json_escape(code, style_.ascii); }));
    out_.append("\"", false);
  }
  void write(const List& list) {
    if (list.items.empty()) return out_.append("[]", false);
    open("[");
    for (size_t i = 0; i < list.items.size(); ++i) {
      next(i);
      write(list.items[i]);
    }
    close("]");
  }
  void write(const Dict& dict) {
    if (dict.members.empty()) return out_.append("{}", false);
    std::vector<const Dict::Member*> members;
    for (const auto& member : dict.members) members.push_back(&member);
    if (style_.sorted) {
      std::stable_sort(members.begin(), members.end(),
                       [](const auto* a, const auto* b) { return compare(a->first, b->first) < 0; });
    }
    open("{");
    for (size_t i = 0; i < members.size(); ++i) {
      next(i);
      write(members[i]->first.text() ? *members[i]->first.text() : Text(bare_text(members[i]->first, true)));
      out_.append(style_.after_key, false);
      write(members[i]->second);
    }
    close("}");
  }

  void open(const char* bracket) {
    out_.append(bracket, false);
    ++level_;
  }
  void close(const char* bracket) {
    --level_;
    line();
    out_.append(bracket, false);
  }
  void next(size_t i) {
    if (i > 0) out_.append(style_.between, false);
    line();
  }
  void line() {
    if (!style_.lines) return;
    out_.append("\n", false);
    for (int i = 0; i < level_; ++i) out_.append(style_.indent, false);
  }

  const JsonStyle& style_;
  Text out_;
  int level_ = 0;
};

}  // namespace

// The shortest decimal that parses to the same number, with an exponent where Python writes one.
std::string number_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char text[40];
  const double size = std::fabs(number);
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e16);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  std::string shortest(text, std::to_chars(text, text + sizeof text, number, format).ptr);
  return exponent || shortest.find('.') != std::string::npos ? shortest : shortest + ".0";
}

Text printed(const Value& value) {
  if (value.undefined()) return Text();
  return value.text() ? *value.text() : quoted(value);
}

Text quoted(const Value& value) {
  if (value.undefined()) return Text("Undefined");
  if (value.text()) return quoted_text(*value.text());
  Text result;
  if (const List* list = value.list()) {
    result.append(list->tuple ? "(" : "[", false);
    append_items(result, list->items);
    result.append(list->tuple ? (list->items.size() == 1 ? ",)" : ")") : "]", false);
  } else if (const Dict* dict = value.dict()) {
    result.append("{", false);
    for (size_t i = 0; i < dict->members.size(); ++i) {
      if (i > 0) result.append(", ", false);
      result.append(quoted(dict->members[i].first));
      result.append(": ", false);
      result.append(quoted(dict->members[i].second));
    }
    result.append("}", false);
  } else {
    result.append(bare_text(value, false), false);
  }
  return result;
}

Text json_text(const Value& value, const JsonStyle& style) {
  Json json(style);
  json.write(value);
  return json.result();
}

}  // namespace compeer::language::jinja
