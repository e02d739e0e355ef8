#pragma once
#include <nlohmann/json.hpp>

// The commands `compeer generate` and `compeer score`, which stream JSON lines through one model. Both take the
// command's options by name and return the exit code of the process.

namespace compeer::inference {

/// Runs compeer generate: completes prompts read as JSON lines from standard input, {"ids": [...]}, {"text": "..."} or
/// {"messages": [...]}. Writes one line per completion, in the order of the input, as early as that order allows:
///   {"ids": [new ids], "text": "...", "logprobs": [...]}
/// "logprobs" are the natural-log probabilities of the new ids. "text" is present if the model has a tokenizer,
/// "sample" (number of the completion, from 0) if several completions per prompt are requested. The random numbers of
/// prompt n of the input (from 0) depend on (seed, n, sample, position) only. Throws Error (exit code 4: invalid data)
/// at the first invalid line, after the prompts before it have been completed.
int generate(const nlohmann::json& options);

/// Runs compeer score: reads JSON lines from standard input, in the form of `generate`, and writes for each, in order,
///   {"logprobs": [...]}
/// the natural-log probability of every token but the first, given the tokens before it, and "ids" if the input was not
/// ids. Throws like `generate`.
int score(const nlohmann::json& options);

}  // namespace compeer::inference
