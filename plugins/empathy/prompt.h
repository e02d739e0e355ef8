#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::empathy {

/// Name of the slot that tells scripted chat models which record a prompt is about. Prompts of real models must not
/// contain it.
inline constexpr std::string_view case_slot = "id";

/// A prompt template read from a file: text with named slots such as "{history}". Slot names consist of lower-case
/// letters and '_'. "{{" and "}}" stand for single braces.
class PromptTemplate {
 public:
  /// `name` is the file, for messages. The text must contain each of `slots` (except `case_slot`, which is optional)
  /// and no other slot. Throws Error (exit 4) with the file and the missing slot, or the line of an unknown slot or a
  /// stray brace. Removes white space at the end of the text.
  PromptTemplate(std::string_view text, const std::string& name, const std::vector<std::string>& slots);
  /// Reads a template from `file`; throws Error as the constructor does, or if the file can't be read.
  static PromptTemplate read(const std::filesystem::path& file, const std::vector<std::string>& slots);

  /// Returns the text with its slots filled. Braces in values have no meaning. Throws std::out_of_range if a slot has
  /// no value.
  std::string fill(const std::map<std::string, std::string>& values) const;

  /// Returns the SHA-256 of the unmodified text, for provenance.
  const std::string& sha256() const { return sha256_; }

  /// Returns true if the template contains a Chinese character.
  bool chinese() const;

 private:
  // The text before a slot, and the name of the slot ("" for the last piece).
  struct Piece {
    std::string text, slot;
  };
  std::vector<Piece> pieces_;
  std::string sha256_;
};

/// Prefixes of a dialogue's lines in prompts: seeker and supporter in English, then in Chinese.
inline constexpr std::array<std::string_view, 4> speakers = {"Seeker: ", "Supporter: ", "求助者：", "支持者："};

/// Returns a turn as it appears in prompts: "Seeker: I am sad." or "求助者：我很难过。". The role "assistant" is the
/// supporter, every other role the seeker; callers leave out system turns. A line of the text that looks like the start
/// of another turn is indented by a space.
std::string format_turn(std::string_view role, std::string_view text, bool chinese);

/// Returns the words separated by commas, as a slot for possible answers shows them: "keep, incoherent, artificial".
std::string listed(const std::vector<std::string>& words);

}  // namespace compeer::empathy
