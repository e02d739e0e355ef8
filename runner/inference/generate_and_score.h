#pragma once
#include <nlohmann/json.hpp>

namespace compeer::inference {

/// compeer generate: completes prompts read as JSON lines from standard input (ModelInput). Writes one line per
/// completion, in the order of the input, as early as that order allows:
///   {"ids": [new ids], "text": "...", "logprobs": [...]}
/// "text" is present if the model has a tokenizer, "sample" (from 0) if several completions per prompt are requested.
/// The random numbers of prompt n of the input (from 0) depend on (seed, n, sample, position) only. Returns the exit
/// code. Throws Error (exit 4) at the first invalid line, after the prompts before it have been completed.
int generate(const nlohmann::json& options);

/// compeer score: reads JSON lines from standard input and writes for each, in order,
///   {"logprobs": [...]}
/// the natural-log probability of every token but the first, given the tokens before it, and "ids" if the input was not
/// ids. Errors as above.
int score(const nlohmann::json& options);

}  // namespace compeer::inference
