#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/conversation.h"

// Reads role cards and dialogues from the records (entries of data files) of the evaluation ESC-Eval. A role card
// describes a seeker, a person in need of emotional support; a chat model plays this person in a dialogue with the
// model under test, the supporter. A dialogue is played from a card or already recorded; judges then score it.
// Published records have other fields than ours; both are accepted.

namespace compeer::evaluating::esc_eval {

/// Returns "en" or "zh": the record's "language" ("english", "zh-CN"), or, if it names neither, the language of `text`.
std::string language_of(const nlohmann::json& record, std::string_view text);

/// A role card for the simulated seeker.
struct Card {
  std::string text;     ///< the card, trimmed
  std::string refusal;  ///< category of the reason why the card can't be played; empty if it can
  /// English names of the fields that a published card lacks: "Age", "Gender", "Occupation", "Problem".
  std::vector<std::string> missing;
};
/// Reads the card of a record: its field "card", or "base" as published, which has four lines (Age, Gender, Occupation,
/// Problem) in English or Chinese. The card is refused only if it is missing or has no Problem.
Card card_of(const nlohmann::json& record);

/// A dialogue to be judged.
struct Transcript {
  /// The supporter's turn before the seeker's first one; may be empty. The tested model did not write it, so it is not
  /// part of `turns`.
  std::string greeting;
  /// List of turns {"role", "text", ...}; "user" is the seeker, "assistant" the supporter. The seeker is first.
  nlohmann::json turns = nlohmann::json::array();
  std::string refusal;  ///< category of the reason why the dialogue can't be judged; empty if it can
};

/// Reads the dialogue in a record's field "turns", or in "lines" as published ("AI assistant：...", "ESC-Role：...").
/// The record must have one of the two fields. System turns are left out. Of several turns before the seeker's first
/// one, the last becomes the greeting.
Transcript transcript_of(const nlohmann::json& record);

/// True if the record contains a dialogue: "lines", or "turns" that are not empty.
bool is_recorded(const nlohmann::json& record);

/// Returns the number of rounds: the supporter's turns in `turns`, a list as in Transcript.
size_t rounds_of(const nlohmann::json& turns);
/// True if the last turn is the seeker's.
bool ends_with_seeker(const nlohmann::json& turns);

/// Returns the turns that a judge is to score: the greeting, if it is not empty, and `transcript.turns`.
std::vector<Turn> shown_turns(const Transcript& transcript);

}  // namespace compeer::evaluating::esc_eval
