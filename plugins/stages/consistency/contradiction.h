#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compeer/stage.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

/// What was found of a completion, as two verdicts: on the process, are all three steps right; on the outcome, is the
/// reply as good as the reference or better.
struct Sides {
  bool process = false, outcome = false;
  bool apart() const { return process != outcome; }
};

/// One judgement, and what is true, where the annotators' labels are to tell. A judgement contradicts itself if its two
/// sides are apart though nothing in the completion sets them apart: right steps and a worse reply where truth has both
/// good or both bad, or the other way round. Where sides truly differ, saying so is no contradiction.
///
/// Differs from the paper, which asks GPT-4o and gives no definition; a chat model may decide here too (`found`).
struct Judgement {
  Sides judged;
  std::optional<Sides> truth;
  std::optional<bool> found;  ///< what the chat model said

  bool contradictory() const { return found ? *found : truth && judged.apart() && !truth->apart(); }
  /// Both sides are judged alike though in truth they differ: the opposite fault.
  bool overlooked() const { return truth && !judged.apart() && truth->apart(); }
};

/// Counts of one judgement for `inconsistencies`.
void count(const nlohmann::json& record, const Judgement& judgement, Outcome& outcome);

/// n, dialogues, and as {value, low, high}, by bootstrap over dialogues: `contradictory`; `apart`, the share of
/// judgements whose sides differ, with or without reason; unless a chat model decides `overlooked`, and `by_chance`:
/// how many contradictions there would be if the two sides of this judge, right as often as they are, erred
/// independently. A judge that is more often right contradicts itself less often in any case; one that is coherent does
/// so less than by chance.
nlohmann::json inconsistencies(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::stages
