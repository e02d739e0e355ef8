// Finds the named sections in answers of the simulator.
#include "evaluating/sage/answers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "empathy/plain.h"
#include "empathy/reading.h"

namespace compeer::evaluating::sage {

namespace {

using empathy::trim;
constexpr auto npos = std::string_view::npos;
constexpr std::string_view wide_colon = "：";

// The position of a section's name and of the text after its colon.
struct Heading {
  size_t begin = npos, end = npos;
};

// Characters that may separate a name from its colon.
bool is_decoration(char c) { return c == '*' || c == '"' || c == ']' || c == ' '; }

// Returns the position after the colon, if only decoration lies between `at` and the colon; otherwise npos.
size_t behind_colon(std::string_view text, size_t at) {
  while (at < text.size() && is_decoration(text[at])) ++at;
  if (text.substr(at).starts_with(':')) return at + 1;
  return text.substr(at).starts_with(wide_colon) ? at + wide_colon.size() : npos;
}

Heading last_heading(std::string_view text, std::string_view name) {
  for (size_t at = text.rfind(name); at != npos; at = at == 0 ? npos : text.rfind(name, at - 1)) {
    if (const size_t end = behind_colon(text, at + name.size()); end != npos) return {at, end};
  }
  return {};
}

bool is_frame(char c) { return empathy::is_space(c) || c == '*' || c == '[' || c == ']' || c == '"' || c == ','; }

// Returns the text without formatting characters around it.
std::string unframed(std::string_view text) {
  while (!text.empty() && is_frame(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_frame(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// Returns the text of each section, up to the next heading of any of them.
template <size_t N>
std::array<std::string, N> sections(std::string_view text, const std::array<std::string_view, N>& names) {
  std::array<Heading, N> headings;
  std::transform(names.begin(), names.end(), headings.begin(), [&](auto name) { return last_heading(text, name); });
  std::array<std::string, N> found;
  for (size_t i = 0; i < N; ++i) {
    if (headings[i].end == npos) continue;
    size_t end = text.size();
    for (const Heading& other : headings) {
      if (other.begin != npos && other.begin >= headings[i].end) end = std::min(end, other.begin);
    }
    found[i] = unframed(text.substr(headings[i].end, end - headings[i].end));
  }
  return found;
}

// Returns the text without white space, brackets and curly quotes around it.
std::string bare(std::string_view text) {
  for (size_t before = npos; before != text.size();) {
    before = text.size();
    text = trim(text);
    for (const std::string_view frame : {"[", "]", "“", "”"}) {
      if (text.starts_with(frame)) text.remove_prefix(frame.size());
      if (text.ends_with(frame)) text.remove_suffix(frame.size());
    }
  }
  return std::string(text);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True if a minus sign precedes the digit: ASCII, the mathematical sign or the full-width form.
bool minus_before(std::string_view text, size_t digit) {
  const auto before = text.substr(0, digit);
  return before.ends_with('-') || before.ends_with("−") || before.ends_with("－");
}

// Returns the first number in a text, limited to 1,000,000 in magnitude.
std::optional<int64_t> first_number(std::string_view text) {
  const size_t first = static_cast<size_t>(std::find_if(text.begin(), text.end(), is_digit) - text.begin());
  if (first == text.size()) return std::nullopt;
  constexpr int64_t most = 1000000;
  int64_t number = 0;
  for (size_t i = first; i < text.size() && is_digit(text[i]); ++i)
    number = std::min(most, 10 * number + text[i] - '0');
  return minus_before(text, first) ? -number : number;
}

}  // namespace

std::optional<Planning> read_planning(std::string_view answer) {
  constexpr std::array<std::string_view, 5> names = {"Content", "TargetCompletion", "Activity", "Analyse", "Change"};
  const auto text = empathy::answer_in(answer);
  if (!text) return std::nullopt;
  const auto found = sections(*text.value, names);
  const auto change = first_number(found[4]);
  if (!change) return std::nullopt;
  return Planning{found[0], found[1], found[2], found[3], *change};
}

std::string shown(const Planning& planning) {
  return "Content: " + planning.content + "\nTargetCompletion: " + planning.target_completion +
         "\nActivity: " + planning.activity + "\nAnalyse: " + planning.analyse +
         "\nChange: " + std::to_string(planning.change);
}

std::optional<SeekerAnswer> parse_utterance(std::string_view answer) {
  const auto read = empathy::answer_in(answer);
  if (!read) return std::nullopt;
  const std::string_view text = *read.value;
  const Heading response = last_heading(text, "Response");
  if (response.end == npos) return std::nullopt;
  auto rest = text.substr(response.end);
  if (rest.starts_with("**")) rest.remove_prefix(2);  // from "**Response:**"
  SeekerAnswer said{"", bare(rest)};
  if (said.text.empty()) return std::nullopt;
  constexpr std::array<std::string_view, 4> names = {"Thinking", "Origin", "Change", "Response"};
  said.thinking = sections(text, names)[0];
  return said;
}

}  // namespace compeer::evaluating::sage
