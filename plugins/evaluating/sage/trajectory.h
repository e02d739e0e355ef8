#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluating/sage/rules.h"

namespace compeer::evaluating::sage {

/// Who is played: a record with the texts "player", "scene", "task" and "first_talk". Empty if it has all of them; else
/// which one is missing, "no 'task'".
std::string missing_in(const nlohmann::json& profile);

/// {"id", "language"}: the profile's own, if that is English or Chinese, else the one that "first_talk" is written in.
nlohmann::json language_of(const nlohmann::json& profile);

/// What a dialogue is scored by: the points of each of the seeker's utterances, the opening first, and how it ended.
struct Trajectory {
  std::vector<int64_t> points;
  End end = End::none;

  int64_t last() const { return points.back(); }
};

/// A dialogue out of a record, or why it can't be scored: in words that many records share, and what it is of this one.
struct RecordedDialogue {
  Trajectory trajectory;
  std::string refusal, detail;
};

/// Whether a record holds a dialogue: SAGE's "history", the "emo_point" it led to, or "turns" of which a supporter has
/// spoken one.
bool is_recorded(const nlohmann::json& record);

/// Reads a dialogue in the layout in which SAGE's are published: "emo_point", "emo_state", "history":
///   [{"role": "user", "content", "emotion-point", "planning": {"change", ...}} | {"role": "assistant", "content"}]
/// Fields that were left out are not missed, but for "role" and "emotion-point"; what is there must agree with the
/// rules. Refused: "unreadable history", "points against the rules", "not ended" (half-written: the last word is not
/// where the rules end a dialogue), "goes on after its end".
RecordedDialogue recorded(const nlohmann::json& record, const Rules& rules);

}  // namespace compeer::evaluating::sage
