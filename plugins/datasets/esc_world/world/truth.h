#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "datasets/esc_world/world/quality.h"

// Judges completions in the generated world of the data set esc_world. A completion is a supporter's answer to a
// seeker, a person in need of emotional support: three reasoning steps in tags, then the reply. The seeker's hidden
// state is known, so rewards and tests can judge any completion without a model.

namespace compeer::esc_world {

/// All that the correctness of a completion depends on. Stored as JSON in the `record` of each example.
struct Truth {
  std::string language = "en";  ///< language of the texts
  Seeker seeker;                ///< the seeker's hidden state at the utterance to be answered
  EarlierReplies said;          ///< [reply][sentence]: the supporter's earlier replies, as keys of their sentences
  QualitySettings feelings;     ///< how much repetition and generic comfort count
};

/// Converts a Truth to JSON, with labels by name. Also writes labels derived from the state: sentiment, problem, good
/// strategies.
nlohmann::json to_json(const Truth& truth);
/// Converts the `record` of an example to a Truth; ignores derived labels. Throws Error (exit code 4: invalid data) for
/// a record of another data set, and std::invalid_argument for an unknown label.
Truth truth_of(const nlohmann::json& record);

/// The judgement of a completion.
struct Verdict {
  bool history = false;      ///< step 1 names the right stage, and no subject or problem other than the seeker's
  bool emotion = false;      ///< step 2 names the right sentiment and emotion, and the intensity within 1
  bool strategy = false;     ///< step 3 names exactly one strategy, a good one
  bool format = false;       ///< the strict parser accepts the completion
  bool grammatical = false;  ///< the world's grammar can parse the reply
  /// True if the reply applies the strategy that step 3 announces; empty if the reply applies none.
  std::optional<bool> follows;
  double quality = 0;  ///< true quality of the reply, in [0, 1]; 0 if not grammatical
  double felt = 0;     ///< quality that the seeker perceives without the steps, in [0, 1]; 0 if not grammatical
};

/// Judges a completion, which may be any text. The labels in its steps are parsed leniently, so their wording does not
/// matter. A step that is missing or names two labels of a set is wrong.
Verdict judge(const Truth& truth, std::string_view completion);

}  // namespace compeer::esc_world
