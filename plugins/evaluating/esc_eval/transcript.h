#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/conversation.h"

namespace compeer::evaluating::esc_eval {

/// Returns "en" or "zh": the record's "language" ("english", "zh-CN"), or, if it names neither, the language of `text`.
std::string language_of(const nlohmann::json& record, std::string_view text);

/// A role card for the simulated seeker: a record's "card", or "base" in the published data, which has four lines (Age,
/// Gender, Occupation, Problem) in English or Chinese.
struct Card {
  std::string text;
  std::string refusal;               ///< why the card can't be played, as a category shared by records; empty if it can
  std::vector<std::string> missing;  ///< English names of the fields a published card lacks
};
/// Reads the card of a record. Only a missing text or a missing Problem is a refusal.
Card card_of(const nlohmann::json& record);

/// A dialogue to be judged. The supporter's turns before the seeker's first one are a greeting. The tested model did
/// not write it, so it is not part of `turns`.
struct Transcript {
  std::string greeting;
  nlohmann::json turns = nlohmann::json::array();  ///< {"role", "text", ...}, the seeker first
  std::string refusal;  ///< why the dialogue can't be judged, as a category shared by records; empty if it can
};

/// Reads the dialogue in a record's "turns", or in "lines" as published ("AI assistant：...", "ESC-Role：..."). System
/// turns are left out. The record must contain one of them.
Transcript transcript_of(const nlohmann::json& record);

/// Returns true if the record contains a dialogue: "lines", or "turns" that are not empty.
bool is_recorded(const nlohmann::json& record);

/// Returns the number of the supporter's turns.
size_t rounds_of(const nlohmann::json& turns);
/// Returns true if the last turn is the seeker's.
bool ends_with_seeker(const nlohmann::json& turns);

/// Returns the turns a judge is shown, the greeting first.
std::vector<Turn> shown_turns(const Transcript& transcript);

}  // namespace compeer::evaluating::esc_eval
