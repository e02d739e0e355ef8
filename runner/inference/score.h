#pragma once
#include <nlohmann/json.hpp>

namespace compeer::inference {

/// compeer score: JSON lines from standard input; for each, in order,
///   {"logprobs": [...]}
/// the natural-log probability of every token but the first, given what stands before it. Input other than ids also
/// gets its "ids".
int score(const nlohmann::json& options);

}  // namespace compeer::inference
