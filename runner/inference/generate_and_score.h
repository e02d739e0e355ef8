#pragma once
#include <nlohmann/json.hpp>

namespace compeer::inference {

/// compeer generate: JSON lines from standard input, completed; a line for each completion, in the order of the input
/// and as soon as it allows:
///   {"ids": [new ids], "text": "...", "logprobs": [...]}
/// "text" needs a tokenizer; with several samples a line has "sample" (from 0) too. Prompt n of the input (from 0) is
/// drawn with random numbers (seed, n, sample, position), whatever the batch.
int generate(const nlohmann::json& options);

/// compeer score: JSON lines from standard input; for each, in order,
///   {"logprobs": [...]}
/// the natural-log probability of every token but the first, given what stands before it. Input other than ids also
/// gets its "ids".
int score(const nlohmann::json& options);

}  // namespace compeer::inference
