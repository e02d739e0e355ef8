// Text for error messages and for hashes.
#include "spec/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "spec/secrets.h"

namespace compeer::spec {

namespace {

constexpr size_t most_mistakes = 20, enough_mistakes = 1000, most_shown = 60;

// Length of the well-formed UTF-8 sequence that `text` (not empty) starts with; 0 if it starts with none.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

// Returns the part of a large value that can be shown: three levels, 60 items each.
nlohmann::json beginning(const nlohmann::json& value, int depth) {
  if (!value.is_structured()) return value;
  if (depth == 0) return "...";
  nlohmann::json made = value.is_array() ? nlohmann::json::array() : nlohmann::json::object();
  for (auto item = value.begin(); item != value.end() && made.size() < most_shown; ++item) {
    if (value.is_array()) {
      made.push_back(beginning(*item, depth - 1));
    } else {
      made[item.key()] = beginning(*item, depth - 1);
    }
  }
  return made;
}

// Splits "x.toml:14" into ("x.toml", 14), to sort errors by line number.
std::pair<std::string, unsigned long> place(const std::string& where) {
  const size_t colon = where.rfind(':');
  if (colon == std::string::npos || colon + 1 == where.size()) return {where, 0};
  const auto digits = where.substr(colon + 1);
  if (digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) return {where, 0};
  return {where.substr(0, colon), std::stoul(digits)};
}

}  // namespace

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text, size_t limit) {
  std::string out;
  for (size_t shown = 0; !text.empty(); ++shown) {
    if (shown == limit) return out + "...";
    const size_t length = sequence_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // U+0080 to U+009F are control characters too, which some terminals interpret.
    const bool control = first < 0x20 || first == 0x7F || (first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
    if (length == 0 || (control && length == 1)) {
      out += fmt::format("\\x{:02x}", first);
    } else if (control) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[1]));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t end = text.find_first_of("\n\t");
    out += printable(text.substr(0, end), std::string::npos);
    if (end == std::string_view::npos) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

std::string error_text(const std::string& text) { return printable_lines(without_secrets(text)); }

std::string show(const nlohmann::json& value) {
  if (value.is_string()) return '"' + printable(without_secrets(value.get<std::string>())) + '"';
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    return std::isnan(value.get<double>()) ? "nan" : value.get<double>() > 0 ? "inf" : "-inf";
  }
  if (value.is_discarded()) return "(none)";
  return printable(without_secrets(canonical_json(value.is_structured() ? beginning(value, 3) : value)));
}

std::string show_typed(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::string:
      return "the string " + show(value);
    case nlohmann::json::value_t::array:
      return "the list " + show(value);
    case nlohmann::json::value_t::object:
      return "the table " + show(value);
    case nlohmann::json::value_t::null:
      return "null";
    default:
      return show(value);
  }
}

std::string singular(const std::string& kind) { return kind.back() == 's' ? kind.substr(0, kind.size() - 1) : kind; }

void Mistakes::add(Error mistake) {
  mistakes_.push_back(std::move(mistake));
  if (mistakes_.size() == enough_mistakes) raise();
}

void Mistakes::raise() {
  if (mistakes_.empty()) return;
  std::stable_sort(mistakes_.begin(), mistakes_.end(),
                   [](const Error& a, const Error& b) { return place(a.where()) < place(b.where()); });
  const Error& first = mistakes_.front();
  auto exit = first.exit();
  std::string rest;
  for (size_t i = 1; i < mistakes_.size(); ++i) {
    if (mistakes_[i].exit() == Exit::spec) exit = Exit::spec;
    if (i < most_mistakes) rest += fmt::format("\n{}", mistakes_[i].what());
  }
  if (mistakes_.size() == enough_mistakes) {
    rest += "\n... and many more";
  } else if (mistakes_.size() > most_mistakes) {
    rest += fmt::format("\n... and {} more", mistakes_.size() - most_mistakes);
  }
  // Error prints "where: what" and then "  help: help". The other errors are appended to the last of the two.
  throw first.help().empty() ? Error(first.where(), first.problem() + rest, "", exit)
                             : Error(first.where(), first.problem(), first.help() + rest, exit);
}

std::string number_text(double number) {
  char text[32];
  const double size = std::abs(number);
  const bool plain = size == 0.0 || (size >= 1e-4 && size < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const std::string shortest(text, std::to_chars(text, text + sizeof text, number, format).ptr);
  return plain && shortest.find('.') == std::string::npos ? shortest + ".0" : shortest;
}

std::string canonical_json(const nlohmann::json& value) {
  if (value.is_number_float() && std::isfinite(value.get<double>())) return number_text(value.get<double>());
  if (!value.is_structured()) return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string text;
  for (const auto& [key, inner] : value.items()) {
    if (!text.empty()) text += ',';
    if (value.is_object()) text += nlohmann::json(key).dump() + ':';
    text += canonical_json(inner);
  }
  return value.is_object() ? '{' + text + '}' : '[' + text + ']';
}

}  // namespace compeer::spec
