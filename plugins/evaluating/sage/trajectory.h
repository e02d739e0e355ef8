#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::evaluating::sage {

// SAGE (arXiv 2505.02847): a simulated seeker's emotion, a number of points, goes up and down with what a supporter
// says.

/// How a dialogue is over.
enum class End { none, success, failure, goodbye, limit };
/// "open", "success", "failure", "goodbye", "limit".
const char* name_of(End end);

constexpr int64_t success_at = 100, failure_below = 10, largest_change = 10;

struct Rules {
  int64_t start = 40;   ///< points at the seeker's first words, which answer nobody
  int64_t rounds = 10;  ///< the seeker's utterances at most. Differs from the paper: 20 there, 10 in what was published
  std::vector<std::string> goodbyes = {"再见", "拜拜"};  ///< an utterance that holds one of these is the last

  /// Points after a reply: `change` is cut to -10 ... 10, the sum at 100 from above. It is not cut from below.
  static int64_t after(int64_t point, int64_t change);

  /// "Emotion-S" from 100 on, "-A" from 70, "-B" from 40, "-C" from 10, else "Emotion-F".
  static const char* state(int64_t point);

  /// Whether the dialogue is over with an utterance of the seeker, said at `point`. Not asked of the opening.
  End with(int64_t point, const std::string& utterance) const;

  /// Whether it is over when the utterance number `round`, from 1, has been answered.
  End answered(int64_t round) const { return round >= rounds ? End::limit : End::none; }
};

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
