#pragma once
#include <cstdint>
#include <string>
#include <vector>

/// SAGE (arXiv 2505.02847): a simulated seeker's emotion, a number of points, goes up and down with what a supporter
/// says.
namespace compeer::evaluating::sage {

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

}  // namespace compeer::evaluating::sage
