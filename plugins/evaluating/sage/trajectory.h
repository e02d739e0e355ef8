#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::evaluating::sage {

// SAGE (arXiv 2505.02847): the emotion of a simulated seeker is a number of points that a supporter's replies raise and
// lower.

/// How a dialogue ended; `none` if it has not.
enum class End { none, success, failure, goodbye, limit };
/// Returns "open" (for `none`), "success", "failure", "goodbye" or "limit".
const char* name_of(End end);

/// A dialogue succeeds at `success_at` points or more and fails below `failure_below`. One reply changes the points by
/// at most `largest_change`.
constexpr int64_t success_at = 100, failure_below = 10, largest_change = 10;

/// The rules by which points change and dialogues end.
struct Rules {
  int64_t start = 40;  ///< points at the seeker's first utterance
  /// Maximum number of the seeker's utterances. Differs from the paper: 20 there, 10 in the published code.
  int64_t rounds = 10;
  std::vector<std::string> goodbyes = {"再见", "拜拜"};  ///< an utterance that contains one of these ends the dialogue

  /// Returns the points after a reply: `point + change`, with `change` clamped to [-10, 10] and the sum to at most 100.
  /// The sum has no lower limit.
  static int64_t after(int64_t point, int64_t change);

  /// Returns "Emotion-S" from 100 points, "-A" from 70, "-B" from 40, "-C" from 10, otherwise "Emotion-F".
  static const char* state(int64_t point);

  /// Returns how an utterance of the seeker at `point` ends the dialogue. Not for the first utterance.
  End end_after_utterance(int64_t point, const std::string& utterance) const;

  /// Returns `limit` if utterance number `round` (from 1) is the last one allowed. Called once it has been answered.
  End answered(int64_t round) const { return round >= rounds ? End::limit : End::none; }
};

/// Returns "no 'task'" with the first field that a profile lacks, or "". A profile is a record with the non-empty texts
/// "player", "scene", "task" and "first_talk".
std::string missing_in(const nlohmann::json& profile);

/// Returns {"id", "language"} for filling prompts. The language is the profile's if it begins with "en" or "zh",
/// otherwise it is detected from "first_talk".
nlohmann::json prompt_keys(const nlohmann::json& profile);

/// The result of a dialogue: the points at each of the seeker's utterances, the first included, and how it ended.
struct Trajectory {
  std::vector<int64_t> points;
  End end = End::none;

  int64_t last() const { return points.back(); }
};

/// A dialogue from a record. `refusal` is empty, or the category of the reason why it can't be scored; `detail`
/// explains it for this record.
struct RecordedDialogue {
  Trajectory trajectory;
  std::string refusal, detail;
};

/// Returns true if the record contains a dialogue: "history", "emo_point", or "turns" with at least one of the
/// supporter.
bool is_recorded(const nlohmann::json& record);

/// Parses a dialogue in the published layout, with "emo_point", "emo_state" and "history":
///
///   [{"role": "user", "content", "emotion-point", "planning": {"change", ...}} | {"role": "assistant", "content"}]
///
/// Only "role" and "emotion-point" are required; the other fields must agree with the rules if they exist. Refusals:
/// "unreadable history", "points against the rules", "not ended" (the last turn is not where the rules end a dialogue),
/// "goes on after its end".
RecordedDialogue recorded(const nlohmann::json& record, const Rules& rules);

}  // namespace compeer::evaluating::sage
