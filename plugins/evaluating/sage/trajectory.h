#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// The rules of the evaluation SAGE (arXiv 2505.02847), and the check of recorded dialogues against them. A chat model
// plays a seeker, a person in need of emotional support; the model under test, the supporter, answers. The seeker's
// emotion is a number of points that the supporter's replies raise and lower. A profile is a record (an entry of a data
// file) that describes a seeker to be played.

namespace compeer::evaluating::sage {

/// How a dialogue ended.
enum class End {
  none,     ///< it has not ended
  success,  ///< the points reached `success_at`
  failure,  ///< the points fell below `failure_below`
  goodbye,  ///< the seeker said goodbye
  limit,    ///< the maximum number of rounds was reached
};
/// Returns "open" (for `none`), "success", "failure", "goodbye" or "limit".
const char* name_of(End end);

/// In points: a dialogue succeeds at `success_at` or more and fails below `failure_below`. One reply changes the points
/// by at most `largest_change`, up or down.
constexpr int64_t success_at = 100, failure_below = 10, largest_change = 10;

/// The rules by which points change and dialogues end; the fields are settings.
struct Rules {
  int64_t start = 40;  ///< points at the seeker's first utterance
  /// Maximum number of the seeker's utterances. The paper has 20, the published code 10.
  int64_t rounds = 10;
  /// Words for goodbye: an utterance of the seeker that contains one of them ends the dialogue.
  std::vector<std::string> goodbyes = {"再见", "拜拜"};

  /// Returns the seeker's points after a reply, from those before it: `point + change`, with `change` clamped to [-10,
  /// 10] and the sum to at most 100. The sum has no lower limit.
  static int64_t after(int64_t point, int64_t change);

  /// Returns the published name of the emotional state: "Emotion-S" from 100 points, "-A" from 70, "-B" from 40, "-C"
  /// from 10, otherwise "Emotion-F".
  static const char* state(int64_t point);

  /// Returns how an utterance of the seeker ends the dialogue, or `none`. `point`: the points at this utterance. Not to
  /// be called for the first utterance, which never ends it.
  End end_after_utterance(int64_t point, const std::string& utterance) const;

  /// Returns how the supporter's answer to utterance number `round` (from 1) ends the dialogue: `limit` if that
  /// utterance was the last one allowed, otherwise `none`.
  End answered(int64_t round) const { return round >= rounds ? End::limit : End::none; }
};

/// Checks a profile, which needs the non-empty texts "player" (the person), "scene" (the situation), "task" (the hidden
/// intention) and "first_talk" (the first utterance). Returns "" if it has all, otherwise the refusal with the first
/// missing field: "no 'task'".
std::string missing_in(const nlohmann::json& profile);

/// Returns {"id", "language"} of a profile, for filling prompts. The language is the profile's if it begins with "en"
/// or "zh", otherwise it is detected from "first_talk".
nlohmann::json prompt_keys(const nlohmann::json& profile);

/// The course of the seeker's emotion in a dialogue.
struct Trajectory {
  std::vector<int64_t> points;  ///< points at each of the seeker's utterances, the first included
  End end = End::none;

  /// Returns the points at the last utterance; `points` must not be empty.
  int64_t last() const { return points.back(); }
};

/// A dialogue read from a record.
struct RecordedDialogue {
  Trajectory trajectory;  ///< valid only without a refusal
  std::string refusal;    ///< category of the reason why the dialogue can't be scored: "not ended"; empty if it can
  std::string detail;     ///< explanation of the refusal for this record, as in "turn 3 should be the user's"
};

/// True if the record contains a dialogue: "history", "emo_point", or "turns" with at least one of the supporter.
/// Otherwise it is a profile to be played.
bool is_recorded(const nlohmann::json& record);

/// Reads a dialogue from a record in the published layout and checks it against the rules. The record has "emo_point"
/// and "emo_state" (the result) and "history":
///
///   [{"role": "user", "content", "emotion-point", "planning": {"change", ...}} | {"role": "assistant", "content"}]
///
/// Only "role" and "emotion-point" are required; the other fields must agree with the rules if they exist. Refusals:
/// "unreadable history", "points against the rules", "not ended" (the last turn does not end the dialogue by the
/// rules), "goes on after its end".
RecordedDialogue recorded(const nlohmann::json& record, const Rules& rules);

}  // namespace compeer::evaluating::sage
