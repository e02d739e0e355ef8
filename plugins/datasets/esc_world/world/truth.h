#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "datasets/esc_world/world/quality.h"

namespace compeer::esc_world {

/// Everything that a completion's truth depends on: the `record` of an example.
struct Truth {
  std::string language = "en";
  Seeker seeker;
  EarlierReplies said;
  Feelings feelings;
};

/// JSON with labels by name, so that people and reports can read it. Derived labels (sentiment, problem, good
/// strategies) are written for them and ignored by `truth_of`, which throws Error (exit 4) for a record of another
/// dataset and std::invalid_argument for a label out of its set.
nlohmann::json to_json(const Truth& truth);
Truth truth_of(const nlohmann::json& record);

/// What is true of a completion.
struct Verdict {
  bool history = false;         ///< step 1 names the right stage, and no subject or problem that is not the seeker's
  bool emotion = false;         ///< step 2 names the right sentiment and emotion, and the intensity within 1
  bool strategy = false;        ///< step 3 names one strategy, one of the good ones
  bool format = false;          ///< the strict parser accepts it
  bool grammatical = false;     ///< the world's grammar knows its reply
  std::optional<bool> follows;  ///< the reply's act is what step 3 announces; nothing of a reply without an act
  double quality = 0;           ///< of the reply, in [0, 1]; 0 if not grammatical
  double felt = 0;              ///< the same as the seeker feels it
};

/// Judges any text. Labels are read leniently, so their wording is free; a step that is missing, or names two labels of
/// a set, is false.
Verdict judge(const Truth& truth, std::string_view completion);

}  // namespace compeer::esc_world
