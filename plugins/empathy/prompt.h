#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::empathy {

/// The slot by which scripted players know which record a prompt is about. No model may be shown it.
inline constexpr std::string_view case_slot = "id";

/// A prompt out of a file: text with named slots, "{history}". A name is made of small letters and '_'; "{{" and "}}"
/// stand for single braces.
class PromptTemplate {
 public:
  /// Every one of `slots` must be in the text, and no other; `case_slot` alone may be missing. Throws Error (exit 4)
  /// naming the file and the slot, or the line where a brace is left open. White space at the end of the text is no
  /// part of it.
  PromptTemplate(std::string_view text, const std::string& name, const std::vector<std::string>& slots);
  static PromptTemplate read(const std::filesystem::path& file, const std::vector<std::string>& slots);

  /// The text with its slots filled; values are not looked into. Every slot needs its value.
  std::string fill(const std::map<std::string, std::string>& values) const;

  /// Of the text as it stands in the file, for provenance.
  const std::string& sha256() const { return sha256_; }

  /// Whether it is written in Chinese: has a character that is.
  bool chinese() const;

 private:
  // What stands before a slot, and its name; the last has none.
  struct Piece {
    std::string text, slot;
  };
  std::vector<Piece> pieces_;
  std::string sha256_;
};

/// What a line of a dialogue begins with in prompts: the seeker's and the supporter's, English, then Chinese.
inline constexpr std::array<std::string_view, 4> speakers = {"Seeker: ", "Supporter: ", "求助者：", "支持者："};

/// What was said, as prompts show it: "Seeker: I am sad." or "求助者：我很难过。". The role "assistant" is the
/// supporter's; a system turn is not said, and callers leave it out. What is said can't begin another turn: a line that
/// looks like one is moved in by a space.
std::string said(std::string_view role, std::string_view text, bool chinese);

/// "keep, incoherent, artificial": what a slot for the answers holds.
std::string listed(const std::vector<std::string>& words);

}  // namespace compeer::empathy
