// Prompt templates, and dialogues as text in prompts.
#include "empathy/prompt.h"

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "empathy/plain.h"

namespace compeer::empathy {
namespace {

constexpr uint64_t longest = 1 << 20;  // bytes of a template file

// Returns the file and line of position `at`, for messages.
std::string place(const std::string& name, std::string_view text, size_t at) {
  return name + ":" +
         std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

bool is_name(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

}  // namespace

PromptTemplate::PromptTemplate(std::string_view text, const std::string& name, const std::vector<std::string>& slots)
    : sha256_(compeer::sha256(text)) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::vector<std::string> found;
  Piece piece;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      piece.text += c;
    } else if (i + 1 < text.size() && text[i + 1] == c) {
      piece.text += text[i++];
    } else {
      const size_t end = c == '{' ? text.find('}', i) : std::string_view::npos;
      const auto slot = end == std::string_view::npos ? std::string_view() : text.substr(i + 1, end - i - 1);
      if (!is_name(slot))
        throw Error(place(name, text, i), "a brace outside a slot", "write {{ or }} for a literal brace", Exit::data);
      if (std::find(slots.begin(), slots.end(), slot) == slots.end())
        throw Error(place(name, text, i), "unknown slot {" + std::string(slot) + "}",
                    slot == case_slot ? "leave it out: the model must not know which record the prompt is about"
                                      : suggest(std::string(slot), slots),
                    Exit::data);
      piece.slot = slot;
      found.push_back(piece.slot);
      pieces_.push_back(std::move(piece));
      piece = {};
      i = end;
    }
  }
  pieces_.push_back(std::move(piece));
  for (const std::string& slot : slots) {
    if (slot != case_slot && std::find(found.begin(), found.end(), slot) == found.end())
      throw Error(name, "the slot {" + slot + "} is missing", "add it: a prompt must use every slot", Exit::data);
  }
}

PromptTemplate PromptTemplate::read(const std::filesystem::path& file, const std::vector<std::string>& slots) {
  return PromptTemplate(read_file(file, longest), file.string(), slots);
}

std::string PromptTemplate::fill(const std::map<std::string, std::string>& values) const {
  std::string text;
  for (const Piece& piece : pieces_) {
    text += piece.text;
    if (!piece.slot.empty()) text += values.at(piece.slot);
  }
  return text;
}

bool PromptTemplate::chinese() const {
  return std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& piece) { return has_chinese(piece.text); });
}

namespace {

// Indents lines that look like the start of another turn.
std::string as_one_turn(std::string_view text) {
  std::string moved(text);
  for (const std::string_view speaker : speakers) {
    const std::string line = "\n" + std::string(speaker);
    for (size_t at = 0; (at = moved.find(line, at)) != std::string::npos; at += 2) moved.insert(at + 1, " ");
  }
  return moved;
}

}  // namespace

std::string format_turn(std::string_view role, std::string_view text, bool chinese) {
  const bool supporter = role == "assistant";
  return std::string(speakers[(chinese ? 2 : 0) + (supporter ? 1 : 0)]) + as_one_turn(text);
}

std::string listed(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

}  // namespace compeer::empathy
