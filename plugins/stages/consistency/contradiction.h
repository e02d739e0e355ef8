#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compeer/stage.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

/// A judgement reduced to two verdicts. process: all three steps are right; outcome: the reply is at least as good as
/// the reference.
struct Sides {
  bool process = false, outcome = false;
  /// Returns true if the verdicts differ.
  bool disagree() const { return process != outcome; }
};

/// One judgement, and the truth if it is known from annotators' labels. A judgement is contradictory if its two
/// verdicts differ although the true ones are equal: for example right steps and a worse reply where both are good. If
/// the true verdicts differ, differing verdicts are not a contradiction.
///
/// Differs from the paper, which asks GPT-4o and gives no definition; a chat model may decide here too (`found`).
struct Judgement {
  Sides judged;
  std::optional<Sides> truth;
  std::optional<bool> found;  ///< the chat model's decision, if it was asked

  /// Returns the chat model's decision, otherwise the rule above; false if the truth is not known.
  bool contradictory() const { return found ? *found : truth && judged.disagree() && !truth->disagree(); }
  /// Returns true for the opposite error: equal verdicts although the true ones differ.
  bool overlooked() const { return truth && !judged.disagree() && truth->disagree(); }
};

/// Adds the counts of one judgement, for `inconsistencies`.
void count(const nlohmann::json& record, const Judgement& judgement, Outcome& outcome);

/// Returns n, dialogues, and figures {value, low, high} with intervals by bootstrap over dialogues: `contradictory`;
/// `disagree`, the fraction of judgements whose verdicts differ, rightly or not; and, if the truth is known for all,
/// `overlooked` and `by_chance`. `by_chance` is the fraction of contradictions if the two verdicts of a judge with this
/// accuracy erred independently. A more accurate judge contradicts itself less often in any case; a coherent one does
/// so less often than by chance.
nlohmann::json inconsistencies(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::stages
