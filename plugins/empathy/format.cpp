// Strict parser and printer of completions, and the lenient search for steps and reply in malformed ones.
#include "empathy/format.h"

#include <array>
#include <stdexcept>

#include "empathy/plain.h"

namespace compeer::empathy {
namespace {

constexpr std::array<std::string_view, 3> names = {"history", "emotion", "strategy"};

std::string tag(std::string_view name, bool closing) { return (closing ? "</" : "<") + std::string(name) + ">"; }

/// One of the six tags and its position in the text; `begin` is npos if none was found.
struct StepTag {
  size_t begin = std::string_view::npos, end = 0;
  size_t step = 0;
  bool closing = false;

  bool found() const { return begin != std::string_view::npos; }
  std::string text() const { return tag(names[step], closing); }
};

// Returns the first tag that begins at `from` or later.
StepTag next_tag(std::string_view text, size_t from) {
  for (size_t at = text.find('<', from); at != std::string_view::npos; at = text.find('<', at + 1)) {
    for (size_t step = 0; step < names.size(); ++step) {
      for (bool closing : {false, true}) {
        const std::string word = tag(names[step], closing);
        if (text.substr(at, word.size()) == word) return {at, at + word.size(), step, closing};
      }
    }
  }
  return {};
}

Parsed refuse(std::string reason) { return {std::nullopt, std::move(reason)}; }

std::string& part(Structured& parts, size_t step) {
  return step == 0 ? parts.history : step == 1 ? parts.emotion : parts.strategy;
}

/// Parses the step that starts at `at` and moves `at` to its end. Returns "", or the reason why it is not in the
/// format.
std::string read_step(std::string_view text, size_t step, size_t& at, Structured& parts) {
  const std::string open = tag(names[step], false), close = tag(names[step], true);
  const StepTag first = next_tag(text, at);
  if (!first.found()) return "no " + open;
  if (first.step != step || first.closing) return first.text() + " where " + open + " should be";
  if (!trim(text.substr(at, first.begin - at)).empty()) return "text before " + open;
  const StepTag last = next_tag(text, first.end);
  if (!last.found()) return open + " is not closed";
  if (last.step != step || !last.closing) return last.text() + " inside " + open;
  const std::string_view inside = trim(text.substr(first.end, last.begin - first.end));
  if (inside.empty()) return open + " is empty";
  part(parts, step) = inside;
  at = last.end;
  return "";
}

void check_printable(std::string_view name, const std::string& text) {
  const char* fault = text.empty()                ? " is empty"
                      : trim(text) != text        ? " starts or ends with white space"
                      : next_tag(text, 0).found() ? " holds a tag of the format"
                                                  : nullptr;
  if (fault) throw std::invalid_argument(std::string(name) + fault);
}

}  // namespace

Parsed parse(std::string_view text) {
  Structured parts;
  size_t at = 0;
  for (size_t step = 0; step < names.size(); ++step) {
    std::string reason = read_step(text, step, at, parts);
    if (!reason.empty()) return refuse(std::move(reason));
  }
  if (const StepTag stray = next_tag(text, at); stray.found()) return refuse(stray.text() + " in the reply");
  parts.reply = trim(text.substr(at));
  if (parts.reply.empty()) return refuse("no reply");
  return {std::move(parts), ""};
}

std::string print(const Structured& parts) {
  check_printable("reply", parts.reply);
  return print_steps(parts) + "\n" + parts.reply;
}

std::string print_steps(const Structured& parts) {
  check_printable("history", parts.history);
  check_printable("emotion", parts.emotion);
  check_printable("strategy", parts.strategy);
  return "<history>" + parts.history + "</history><emotion>" + parts.emotion + "</emotion><strategy>" + parts.strategy +
         "</strategy>";
}

Steps steps_of(std::string_view text) {
  Steps steps;
  std::array<std::optional<std::string>*, 3> slots = {&steps.history, &steps.emotion, &steps.strategy};
  std::array<bool, 3> opened = {};
  for (StepTag open = next_tag(text, 0); open.found(); open = next_tag(text, open.end)) {
    if (open.closing || opened[open.step]) continue;
    opened[open.step] = true;
    const StepTag close = next_tag(text, open.end);
    if (close.found() && close.closing && close.step == open.step) {
      *slots[open.step] = std::string(trim(text.substr(open.end, close.begin - open.end)));
    }
  }
  return steps;
}

std::string_view strip_thought(std::string_view text) {
  constexpr std::string_view closing = "</think>";
  const size_t end = text.rfind(closing);
  return end == text.npos ? text : text.substr(end + closing.size());
}

std::string reply_of(std::string_view text) {
  text = strip_thought(text);
  StepTag last;
  for (StepTag tag = next_tag(text, 0); tag.found(); tag = next_tag(text, tag.end)) last = tag;
  if (!last.found()) return std::string(trim(text));
  return last.closing ? std::string(trim(text.substr(last.end))) : "";
}

}  // namespace compeer::empathy
