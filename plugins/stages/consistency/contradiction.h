#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compeer/stage.h"
#include "statistics/bootstrap.h"

// Contradictory judgements, for the stage consistency of a data run (Fig. 5a of the paper). A judge decides about a
// completion whether its three reasoning steps are right and whether its reply is as good as a reference reply.

namespace compeer::stages {

/// A judgement of a completion reduced to two verdicts.
struct Sides {
  bool process = false;  ///< all three steps are right
  bool outcome = false;  ///< the reply is at least as good as the reference
  /// Returns true if the verdicts differ.
  bool disagree() const { return process != outcome; }
};

/// One judgement, and the truth if it is known from annotators' labels. A judgement is contradictory if its two
/// verdicts differ although the true ones are equal: for example right steps and a worse reply where both are good. If
/// the true verdicts differ, differing verdicts are not a contradiction.
///
/// Differs from the paper, which asks GPT-4o and gives no definition; a chat model may decide here too (`found`).
struct Judgement {
  Sides judged;                ///< the judge's verdicts
  std::optional<Sides> truth;  ///< the verdicts of the annotators' labels; nullopt: unknown
  std::optional<bool> found;   ///< a chat model's decision whether the judge contradicts itself; nullopt: not asked

  /// Returns the chat model's decision if it was asked, otherwise whether `judged` differs in itself and `truth` does
  /// not; false if the truth is not known.
  bool contradictory() const { return found ? *found : truth && judged.disagree() && !truth->disagree(); }
  /// Returns true for the opposite error: equal verdicts although the true ones differ.
  bool overlooked() const { return truth && !judged.disagree() && truth->disagree(); }
};

/// Adds one judgement about `record` to the counts of its outcome. `inconsistencies` computes figures from these
/// counts.
void count(const nlohmann::json& record, const Judgement& judgement, Outcome& outcome);

/// Returns the findings of the stage. `counts`: the sums over all records; `how`: parameters of the bootstrap over
/// dialogues. Shares of judgements are figures {value, low, high}:
///
///   n, dialogues   numbers of judgements and dialogues
///   contradictory  share of judgements that contradict themselves
///   apart          share of judgements with differing verdicts, right or wrong
///   overlooked     share of judgements with equal verdicts although the true ones differ
///   by_chance      share of contradictions if the two verdicts of a judge with this accuracy erred independently. A
///   more
///                  accurate judge contradicts itself less often in any case; a coherent one does so less often than
///                  this
///
/// The last two are present only if the truth is known for all judgements, the shares only if there are judgements.
nlohmann::json inconsistencies(const std::map<std::string, double>& counts, const statistics::Resampling& how);

}  // namespace compeer::stages
