#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "datasets/esc_world/world/quality.h"

namespace compeer::esc_world {

/// Everything the truth of a completion depends on; stored as the `record` of an example.
struct Truth {
  std::string language = "en";
  Seeker seeker;
  EarlierReplies said;
  QualitySettings feelings;
};

/// Convert a Truth to and from JSON with labels by name. to_json also writes derived labels (sentiment, problem, good
/// strategies) for readers; truth_of ignores them. truth_of throws Error (exit 4) for a record of another dataset and
/// std::invalid_argument for an unknown label.
nlohmann::json to_json(const Truth& truth);
Truth truth_of(const nlohmann::json& record);

/// The true quality of a completion.
struct Verdict {
  bool history = false;      ///< step 1 names the right stage, and no subject or problem other than the seeker's
  bool emotion = false;      ///< step 2 names the right sentiment and emotion, and the intensity within 1
  bool strategy = false;     ///< step 3 names exactly one strategy, a good one
  bool format = false;       ///< the strict parser accepts the completion
  bool grammatical = false;  ///< the world's grammar can parse the reply
  /// The reply's act is the strategy announced in step 3; empty for a reply without an act.
  std::optional<bool> follows;
  double quality = 0;  ///< quality of the reply in [0, 1]; 0 if not grammatical
  double felt = 0;     ///< quality as the seeker perceives it
};

/// Judges any text. Labels are parsed leniently, so their wording does not matter. A step that is missing or names two
/// labels of a set is wrong.
Verdict judge(const Truth& truth, std::string_view completion);

}  // namespace compeer::esc_world
