// Strict parsers of judgements and personas.
#include "empathy/judgement.h"

#include <algorithm>
#include <stdexcept>

#include "empathy/plain.h"

namespace compeer::empathy {
namespace {

constexpr std::string_view chinese_stop = "\xe3\x80\x82";

std::string_view without_stop(std::string_view text) {
  for (std::string_view stop : {std::string_view("."), chinese_stop}) {
    if (text.ends_with(stop)) return trim(text.substr(0, text.size() - stop.size()));
  }
  return text;
}

std::string listed(const std::vector<std::string>& words) {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + ("'" + words[i] + "'");
  }
  return list;
}

}  // namespace

Answers::Answers(std::vector<std::string> words) : words_(std::move(words)) {
  if (words_.size() < 2) throw std::invalid_argument("a judgement needs at least two answers");
  for (const std::string& word : words_) {
    const std::string plain = lower(word);
    if (plain.empty() || without_stop(trim(plain)) != plain) {
      throw std::invalid_argument("the answer '" + word + "' is empty, or has white space or a full stop at an end");
    }
    if (std::find(plain_.begin(), plain_.end(), plain) != plain_.end()) {
      throw std::invalid_argument("the answer '" + word + "' is repeated");
    }
    plain_.push_back(plain);
  }
}

ParseResult<size_t> Answers::parse(std::string_view text) const {
  const std::string_view inside = trim(text);
  if (inside.empty()) return {std::nullopt, "no answer"};
  const auto found = std::find(plain_.begin(), plain_.end(), lower(without_stop(inside)));
  if (found == plain_.end()) return {std::nullopt, quote_prefix(inside) + " is not " + listed(words_)};
  return {static_cast<size_t>(found - plain_.begin()), ""};
}

Answers::Answers(std::vector<std::string> words, size_t count) : Answers(std::move(words)) {
  if (words_.size() != count)
    throw std::invalid_argument("needs " + std::to_string(count) + " answers, not " + std::to_string(words_.size()));
}

Preference swapped(Preference preference) {
  return preference == Preference::first    ? Preference::second
         : preference == Preference::second ? Preference::first
                                            : preference;
}

namespace {

/// Returns the lines that are not blank, trimmed.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (const auto line = trim(text.substr(0, end)); !line.empty()) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Returns the text after "name:"; empty if the line does not begin with it.
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || lower(trim(line.substr(0, colon))) != name) return std::nullopt;
  return trim(line.substr(colon + 1));
}

std::optional<int> trait(std::string_view digits) {
  if (digits.empty() || digits.size() > 2) return std::nullopt;
  int value = 0;
  for (char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value <= Disc::most ? std::optional(value) : std::nullopt;
}

}  // namespace

ParseResult<Disc> parse_disc(std::string_view text) {
  const auto lines = lines_of(text);
  Disc persona;
  for (size_t i = 0; i < Disc::names.size(); ++i) {
    const std::string name(Disc::names[i]);
    const auto value = i < lines.size() ? value_of(lines[i], name) : std::nullopt;
    if (!value)
      return {std::nullopt, (i < lines.size() ? quote_prefix(lines[i]) + " where" : "no") + (" '" + name + ":'")};
    const auto number = trait(*value);
    if (!number) return {std::nullopt, name + " is " + quote_prefix(*value) + ", not a whole number from 0 to 10"};
    persona.traits[i] = *number;
  }
  if (lines.size() == Disc::names.size()) return {persona, ""};
  const auto manner = value_of(lines[4], "manner");
  if (!manner) return {std::nullopt, quote_prefix(lines[4]) + " where 'manner:'"};
  if (lines.size() > 5) return {std::nullopt, quote_prefix(lines[5]) + " after the manner"};
  persona.manner = *manner;
  return {persona, ""};
}

std::string print(const Disc& persona) {
  if (trim(persona.manner) != persona.manner || persona.manner.find('\n') != std::string::npos) {
    throw std::invalid_argument("the manner is not one line without outer white space");
  }
  std::string text;
  for (size_t i = 0; i < Disc::names.size(); ++i) {
    if (persona.traits[i] < 0 || persona.traits[i] > Disc::most) {
      throw std::invalid_argument(std::string(Disc::names[i]) + " is not from 0 to 10");
    }
    text += (i == 0 ? "" : "\n") + std::string(Disc::names[i]) + ": " + std::to_string(persona.traits[i]);
  }
  return persona.manner.empty() ? text : text + "\nmanner: " + persona.manner;
}

}  // namespace compeer::empathy
