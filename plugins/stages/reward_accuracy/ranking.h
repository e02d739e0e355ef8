#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/stage.h"
#include "stages/by_dialogue.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

/// GRPO compares completions of one round, which share their dialogue and the supporter's reply. A judge may be right
/// about many rounds and yet tell nothing of these.

/// Counts one verdict about `topic`: `good` is what the annotators say, `measure` what a reward would make of it.
void count_ranked(const nlohmann::json& record, const std::string& topic, bool good, double measure, Outcome& outcome);

/// Of all pairs of completions of one round of which the annotators call one good and the other bad, the share that the
/// judge measures in that order, ties counting one half: {value, low, high, pairs}, .5 by chance. Null if there is no
/// such pair. `dialogues` as of `by_dialogue`.
nlohmann::json ranked_within_rounds(const std::vector<DialogueCounts>& dialogues, const std::string& topic,
                                    const statistics::Resampling& how);

}  // namespace compeer::stages
