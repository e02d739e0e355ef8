// Lenient parsing of chat models' answers: surrounding text, personas, completions and numbered lines. Labels:
// choice.cpp.
#include "empathy/reading.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/json.h"
#include "empathy/plain.h"
#include "empathy/prompt.h"

namespace compeer::empathy {
namespace {

using nlohmann::json;
constexpr auto npos = std::string_view::npos;

constexpr std::pair<std::string_view, std::string_view> thoughts[] = {{"<think>", "</think>"},
                                                                      {"<thinking>", "</thinking>"},
                                                                      {"<thought>", "</thought>"},
                                                                      {"<reasoning>", "</reasoning>"},
                                                                      {"◁think▷", "◁/think▷"}};
constexpr std::string_view turn_ends[] = {"<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end|>",
                                          "<|return|>", "</s>",       "<end_of_turn>"};
constexpr std::string_view bullets[] = {"-", "*", "#", ">", "•", "·"};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t end = 0; end != npos; text.remove_prefix(std::min(end, text.size() - 1) + 1)) {
    end = text.find('\n');
    lines.push_back(trim(text.substr(0, end)));
    if (end == npos) break;
  }
  return lines;
}

bool is_fence(std::string_view line) {
  if (!line.starts_with("```") && !line.starts_with("~~~")) return false;
  line.remove_prefix(std::min(line.find_first_not_of("`~"), line.size()));
  return std::all_of(line.begin(), line.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

// Removes code fence lines: "```json\n{...}\n```" becomes "{...}". A fence within a line stays.
std::string without_fences(std::string_view text) {
  if (text.find("```") == npos && text.find("~~~") == npos) return std::string(text);
  std::string kept;
  for (const auto line : lines_of(text)) {
    if (!is_fence(line)) kept += std::string(line) + "\n";
  }
  return std::string(trim(kept));
}

// Removes `word` from the front of the text, and the white space around it. Returns false if the text does not begin
// with it.
bool take(std::string_view& text, std::string_view word) {
  const auto rest = trim(text);
  if (!rest.starts_with(word)) return false;
  text = trim(rest.substr(word.size()));
  return true;
}

// Removes quotes, brackets and emphasis around the whole text.
std::string_view without_frame(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> frames[] = {
      {"**", "**"}, {"\"", "\""}, {"'", "'"}, {"“", "”"}, {"「", "」"}, {"`", "`"}, {"[", "]"}, {"【", "】"}};
  for (bool again = true; again;) {
    again = false;
    for (const auto& [open, close] : frames) {
      if (text.size() < open.size() + close.size() || !text.starts_with(open) || !text.ends_with(close)) continue;
      const auto inside = text.substr(open.size(), text.size() - open.size() - close.size());
      if (inside.find(open) != npos || inside.find(close) != npos) continue;  // two quotations, not one
      text = trim(inside);
      again = true;
    }
  }
  return text;
}

}  // namespace

ParseResult<std::string> answer_in(std::string_view text) {
  for (const auto& [open, close] : thoughts) {
    if (const size_t end = text.rfind(close); end != npos) text.remove_prefix(end + close.size());
    if (const size_t begin = text.find(open); begin != npos) {  // cut off within a thought
      text = text.substr(0, begin);
      if (trim(text).empty()) return {std::nullopt, "a thought without an end, and no answer"};
    }
  }
  constexpr std::string_view message = "<|message|>";  // channels: the last one is the answer
  if (const size_t last = text.rfind(message); last != npos) text.remove_prefix(last + message.size());
  for (const auto end : turn_ends) text = text.substr(0, text.find(end));
  auto answer = without_fences(trim(text));
  if (answer.empty()) return {std::nullopt, "no answer"};
  return {std::move(answer), ""};
}

json json_in(std::string_view answer) {
  for (const std::string_view ends : {"{}", "[]"}) {
    const size_t begin = answer.find(ends[0]), end = answer.rfind(ends[1]);
    if (begin == npos || end == npos || end < begin) continue;
    auto value = parse_json(answer.substr(begin, end + 1 - begin));
    if (!value.is_discarded()) return value;
  }
  return json(json::value_t::discarded);
}

namespace {

// Returns a member of an object, whatever the case of its name; null if there is none.
json member(const json& object, std::string_view name) {
  if (!object.is_object()) return {};
  for (const auto& [key, value] : object.items()) {
    if (lower(key) == name) return value;
  }
  return {};
}

std::string text_in(const json& value) { return value.is_string() ? value.get<std::string>() : ""; }

// Returns the rest of the line after "name:", where emphasis marks and a remark in parentheses may precede the colon;
// empty if the line does not contain it. `name` must begin a word.
std::optional<std::string_view> behind(std::string_view line, std::string_view name) {
  const auto plain = lower(line);
  const size_t at = plain.find(name);
  if (at == npos || (at > 0 && plain[at - 1] >= 'a' && plain[at - 1] <= 'z')) return std::nullopt;
  auto rest = line.substr(at + name.size());
  while (!rest.empty() && std::string_view("*_\"'` ").find(rest[0]) != npos) rest.remove_prefix(1);
  for (const auto& [open, close] : {std::pair("(", ")"), std::pair("（", "）")}) {
    const std::string_view end(close);
    if (const size_t closed = rest.find(end); rest.starts_with(open) && closed != npos)
      rest = trim(rest.substr(closed + end.size()));
  }
  while (!rest.empty() && std::string_view("*_\"'` ").find(rest[0]) != npos) rest.remove_prefix(1);
  for (const std::string_view colon : {":", "：", "=", "is ", "|"}) {
    if (take(rest, colon)) return rest;
  }
  return std::nullopt;
}

// Parses a whole number from 0 to 10: "7", "**7**/10", "7 (quite direct)", "7分". Empty for "6-7", "7.5", "7 or 8",
// "11".
std::optional<int> trait(std::string_view text) {
  while (!text.empty() && (std::string_view("*_\"'`[").find(text[0]) != npos || is_space(text[0])))
    text.remove_prefix(1);
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end == 0 || end > 2) return std::nullopt;
  const int value = std::stoi(std::string(text.substr(0, end)));
  auto rest = text.substr(end);
  while (!rest.empty() && std::string_view("*_\"'`] ").find(rest[0]) != npos) rest.remove_prefix(1);
  if (take(rest, "/10") || take(rest, "out of 10")) return value <= Disc::most ? std::optional(value) : std::nullopt;
  const bool fraction = rest.size() > 1 && rest[0] == '.' && is_digit(rest[1]);
  const bool range = rest.starts_with('-') || rest.starts_with("–") || rest.starts_with("~") || rest.starts_with('/') ||
                     rest.starts_with("or ") || rest.starts_with("to ") || rest.starts_with("或") ||
                     rest.starts_with("到") || rest.starts_with("至");
  const bool spaced_dash = rest.starts_with("- ") || rest.starts_with("– ");
  if (fraction || value > Disc::most) return std::nullopt;
  if (range && !(spaced_dash && std::none_of(rest.begin(), rest.end(), is_digit))) return std::nullopt;
  return value;
}

ParseResult<Disc> disc_of(const json& object) {
  Disc persona;
  for (size_t i = 0; i < Disc::names.size(); ++i) {
    const auto value = member(object, Disc::names[i]);
    const auto number = trait(value.is_string() ? value.get<std::string>() : value.dump());
    if (!number) return {std::nullopt, std::string(Disc::names[i]) + " is no whole number from 0 to 10"};
    persona.traits[i] = *number;
  }
  persona.manner = text_in(member(object, "manner"));
  std::replace(persona.manner.begin(), persona.manner.end(), '\n', ' ');
  persona.manner = trim(persona.manner);
  return {persona, ""};
}

}  // namespace

ParseResult<Disc> read_disc(std::string_view text) {
  const auto answer = answer_in(text);
  if (!answer) return {std::nullopt, answer.refusal};
  if (const auto object = json_in(*answer.value); object.is_object() && !member(object, Disc::names[0]).is_null())
    return disc_of(object);
  Disc persona;
  std::array<std::optional<int>, 4> found;
  for (const auto line : lines_of(*answer.value)) {
    for (size_t i = 0; i < Disc::names.size(); ++i) {
      const std::string name(Disc::names[i]);
      const auto value = behind(line, name);
      if (!value) continue;
      const auto number = trait(*value);
      if (!number) return {std::nullopt, name + " is no whole number from 0 to 10"};
      if (found[i] && found[i] != number) return {std::nullopt, name + " is said twice, and differently"};
      found[i] = number;
    }
    if (const auto manner = behind(line, "manner"))
      persona.manner = without_frame(trim(manner->substr(std::min(manner->find_first_not_of("* "), manner->size()))));
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) return {std::nullopt, "no '" + std::string(Disc::names[i]) + ":'"};
    persona.traits[i] = *found[i];
  }
  return {persona, ""};
}

namespace {

// Returns the reply without a label ("**Reply:** ..."), tags ("<reply>...</reply>") and quotes.
std::string reply_in(std::string_view text) {
  text = trim(text);
  for (const std::string_view name : {"reply", "response"}) {
    const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
    if (lower(text).starts_with(open)) text.remove_prefix(open.size());
    if (lower(text).ends_with(close)) text.remove_suffix(close.size());
    text = trim(text);
  }
  auto rest = text;
  while (!rest.empty() && std::string_view("*_# ").find(rest[0]) != npos) rest.remove_prefix(1);
  const auto plain = lower(rest);
  for (const std::string_view name : {"reply", "response", "the reply", "my reply", "supporter", "回复", "支持者"}) {
    if (!plain.starts_with(name)) continue;
    auto behind_name = rest.substr(name.size());
    take(behind_name, "**");
    if (!take(behind_name, ":") && !take(behind_name, "：")) continue;
    take(behind_name, "**");
    text = trim(behind_name);
    break;
  }
  return std::string(without_frame(text));
}

// Rewrites variants of the tags as format.h expects them: "<History>", "**<history>**", "&lt;history&gt;".
std::string plain_tags(std::string text) {
  for (const std::string_view name : {"history", "emotion", "strategy"}) {
    for (const std::string_view slash : {"", "/"}) {
      const std::string tag = "<" + std::string(slash) + std::string(name) + ">";
      for (const std::string& written :
           {"**" + tag + "**", "`" + tag + "`", "&lt;" + tag.substr(1, tag.size() - 2) + "&gt;", tag}) {
        for (size_t at = 0; (at = lower(text).find(written, at)) != npos; at += tag.size())
          text.replace(at, written.size(), tag);
      }
    }
  }
  return text;
}

// Parses the canonical text of the parts, so that the rules of format.h apply to them.
Parsed printed_again(const Structured& parts) {
  try {
    return parse(print(parts));
  } catch (const std::invalid_argument& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

Parsed read_completion(std::string_view text) {
  const auto answer = answer_in(text);
  if (!answer) return {std::nullopt, answer.refusal};
  const auto tagged = plain_tags(*answer.value);
  const size_t begin = tagged.find("<history>");
  if (begin == npos) {
    const auto object = json_in(*answer.value);
    const auto part = [&](std::string_view name) { return std::string(trim(text_in(member(object, name)))); };
    if (!object.is_object() || part("history").empty()) return {std::nullopt, "no <history>"};
    return printed_again(
        {part("history"), part("emotion"), part("strategy"), part("reply").empty() ? part("response") : part("reply")});
  }
  auto parsed = parse(std::string_view(tagged).substr(begin));
  if (!parsed) return parsed;
  parsed.value->reply = reply_in(parsed.value->reply);
  return parsed.value->reply.empty() ? Parsed{std::nullopt, "no reply"} : parsed;
}

namespace {

// Returns the number a line begins with and the text after it, such as 12 for "**12.** text".
std::optional<std::pair<size_t, std::string_view>> number_of(std::string_view line) {
  for (bool again = true; again;) {
    again = false;
    for (const auto bullet : bullets) again = take(line, bullet) || again;
  }
  const size_t end = std::min(line.find_first_not_of("0123456789"), line.size());
  if (end == 0 || end > 6) return std::nullopt;
  const size_t number = std::stoul(std::string(line.substr(0, end)));
  auto rest = line.substr(end);
  take(rest, "**");
  for (const std::string_view mark : {":", "：", ".", ")", "）", "、", "．"}) {
    if (!take(rest, mark)) continue;
    take(rest, "**");
    return std::pair(number, rest);
  }
  return std::nullopt;
}

std::string_view without_speaker(std::string_view text) {
  for (const std::string_view who : speakers) {
    if (take(text, trim(who))) break;
  }
  return text;
}

ParseResult<std::vector<std::string>> lines_in(const json& list, size_t count) {
  std::vector<std::string> texts;
  for (const json& one : list) {
    const auto line = text_in(one);
    const auto said = trim(line);
    const auto numbered = number_of(said);
    texts.emplace_back(without_speaker(numbered && numbered->first == texts.size() + 1 ? numbered->second : said));
    if (texts.back().empty()) return {std::nullopt, "an empty line " + std::to_string(texts.size())};
  }
  if (texts.size() != count)
    return {std::nullopt, std::to_string(texts.size()) + " lines instead of " + std::to_string(count)};
  return {std::move(texts), ""};
}

}  // namespace

ParseResult<std::vector<std::string>> read_lines(std::string_view text, size_t count) {
  const auto answer = answer_in(text);
  if (!answer) return {std::nullopt, answer.refusal};
  if (const auto list = json_in(*answer.value); list.is_array() && list.size() > 0) return lines_in(list, count);
  std::vector<std::string> texts;
  bool gap = false;
  for (const auto line : lines_of(*answer.value)) {
    const auto next = number_of(line);
    if (line.empty()) {
      gap = true;
    } else if (next && next->first == texts.size() + 1) {
      texts.emplace_back(without_speaker(next->second));
      if (texts.back().empty()) return {std::nullopt, "nothing behind " + std::to_string(texts.size()) + ":"};
      gap = false;
    } else if (!texts.empty() && !(texts.size() == count && gap)) {
      return {std::nullopt, "a line that does not begin with " + std::to_string(texts.size() + 1) + ":"};
    }
  }
  if (texts.size() != count)
    return {std::nullopt, std::to_string(texts.size()) + " lines instead of " + std::to_string(count)};
  return {std::move(texts), ""};
}

}  // namespace compeer::empathy
