#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/conversation.h"

namespace compeer::evaluating::esc_eval {

/// "en" or "zh", as the record says it ("english", "zh-CN"), or as the text shows it if it says nothing of the kind.
std::string language_of(const nlohmann::json& record, std::string_view text);

/// A role card: ours are a record's "card", the published ones its "base", four lines of Age, Gender, Occupation and
/// Problem in the card's language.
struct Card {
  std::string text;
  std::string refusal;               ///< "" or why nobody can be played by it, in words that many records share
  std::vector<std::string> missing;  ///< fields of a published card that are not there, by their English names
};
Card card_of(const nlohmann::json& record);

/// A dialogue that is to be judged. What a supporter says before the seeker has begun is a greeting, and no part of the
/// turns: the tested model did not say it.
struct Transcript {
  std::string greeting;
  nlohmann::json turns = nlohmann::json::array();  ///< {"role", "text", ...}, the seeker first
  std::string refusal;                             ///< "" or why it can't be judged, in words that many records share
};

/// Out of a record's "turns", or its "lines" as they are published: "AI assistant：...", "ESC-Role：...".
Transcript transcript_of(const nlohmann::json& record);

/// Whether the record holds one: "lines", or "turns" that are not empty.
bool is_recorded(const nlohmann::json& record);

/// How many times the supporter has answered, and whether the seeker has the last word.
size_t rounds_of(const nlohmann::json& turns);
bool ends_with_seeker(const nlohmann::json& turns);

/// All that was said, greeting first, as a judge is shown it.
std::vector<Turn> shown_turns(const Transcript& transcript);

}  // namespace compeer::evaluating::esc_eval
