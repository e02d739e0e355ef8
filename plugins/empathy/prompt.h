#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Prompt templates for chat models, and dialogues as text in prompts. The stages of a data run and the judges read
// their prompts from files with this header. A record is one entry of a data file, such as a dialogue; the seeker asks
// for emotional support in it and the supporter gives it.

namespace compeer::empathy {

/// Name of the optional slot for the id of the record that a prompt is about. Only prompts of scripted chat models,
/// which look up their answers by this id, may contain it: a real model must not learn the id.
inline constexpr std::string_view case_slot = "id";

/// A prompt template read from a file: text with named slots such as "{history}". Slot names consist of lower-case
/// letters and '_'. "{{" and "}}" stand for single braces.
class PromptTemplate {
 public:
  /// Parses a template. `name`: the file's path, for messages. `slots`: names of the slots that the text must contain,
  /// each at least once, and no others; `case_slot` may be missing. White space at the end of the text is removed.
  /// Throws Error (exit code 4: invalid data) that names the missing slot, or the line of an unknown slot or a stray
  /// brace.
  PromptTemplate(std::string_view text, const std::string& name, const std::vector<std::string>& slots);
  /// Reads a template from `file` (at most 1 MiB). Throws Error if the file can't be read or is invalid.
  static PromptTemplate read(const std::filesystem::path& file, const std::vector<std::string>& slots);

  /// Returns the text with its slots filled; `values`: slot name -> value. Braces in values are copied unchanged.
  /// Throws std::out_of_range if a slot has no value.
  std::string fill(const std::map<std::string, std::string>& values) const;

  /// Returns the SHA-256 (hexadecimal) of the text as passed to the constructor, for provenance.
  const std::string& sha256() const { return sha256_; }

  /// True if the template's own text contains a Chinese character.
  bool chinese() const;

 private:
  // Literal text, and the name of the slot that follows it ("" for the last piece).
  struct Piece {
    std::string text, slot;
  };
  std::vector<Piece> pieces_;  // the parsed template, in order
  std::string sha256_;         // hexadecimal, of the unmodified text
};

/// Prefixes of a dialogue's lines in prompts: seeker and supporter in English, then seeker and supporter in Chinese.
inline constexpr std::array<std::string_view, 4> speakers = {"Seeker: ", "Supporter: ", "求助者：", "支持者："};

/// Returns a turn as it appears in prompts: "Seeker: I am sad." or "求助者：我很难过。". The role "assistant" is the
/// supporter, every other role the seeker, so system turns must not be passed. `chinese`: the prefix is Chinese. A line
/// of the text that looks like the start of another turn is indented by a space.
std::string format_turn(std::string_view role, std::string_view text, bool chinese);

/// Returns the words separated by commas, for a slot with the possible answers: "keep, incoherent, artificial".
std::string listed(const std::vector<std::string>& words);

}  // namespace compeer::empathy
