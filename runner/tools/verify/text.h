#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "inference/open_model.h"
#include "tools/verify/values.h"

// Part of `compeer verify`, which compares this program with reference files made by other libraries: a small language
// model. Reference values are in golden.json and golden.safetensors in the model's folder. The functions append their
// results to `checks`.
namespace compeer::verify {

using Ids = std::vector<int64_t>;  ///< token ids of a sequence

/// A model folder with reference values.
struct TextCase {
  /// Reads golden.json and golden.safetensors in `folder`.
  explicit TextCase(const std::filesystem::path& folder);
  /// One of several cases with common files: the model is in `folder`, its reference values are `golden`, and `prefix`
  /// begins the names of its tensors in the file `tensors`.
  TextCase(const std::filesystem::path& folder, const nlohmann::json& golden, const std::filesystem::path& tensors,
           const std::string& prefix);

  std::filesystem::path folder;  ///< folder of the model
  nlohmann::json golden;         ///< reference values
  record::Safetensors tensors;   ///< reference tensors
  /// In `tensors`: name of the logits (of the batch padded on the right), and prefix of the gradients' names.
  std::string logits = "right.logits", gradients = "grad.";
  std::vector<Ids> sequences;  ///< the sequences of the batch
  /// "bfloat16" if the reference's rotary frequencies were rounded to it, otherwise "float32". They are rounded if the
  /// whole model was converted to bfloat16 before use; models that transformers loads in bfloat16 keep float32.
  std::string rotary_precision = "float32";

  /// Returns the tolerance of log-probabilities and losses: 1e-5, or twice the reference's own float32 rounding error.
  double log_prob_tolerance() const;
};

/// Sets `rotary_precision` to the precision with which our logits are closer to the reference's.
void find_rotary_precision(TextCase& text);

/// Several sequences, concatenated without padding to one batch. A row is one token.
struct PackedSequences {
  /// `vocabulary`: number of tokens of the model. Throws Error (exit code 4: invalid data) if an id is outside of it.
  PackedSequences(const std::vector<Ids>& sequences, int64_t vocabulary);
  Batch batch;
  std::vector<int64_t> starts;  ///< first row of each sequence
  at::Tensor predicting;        ///< int64 [n]: all rows except the last one of each sequence
  at::Tensor targets;           ///< int64 [n]: the next token after each of these rows
};

/// Checks one forward pass: logits, hidden states, log-probabilities, entropies, most likely tokens.
void check_forward(const TextCase& text, std::vector<Check>& checks);

/// Checks loss, gradients and steps of AdamW.
void check_training(const TextCase& text, std::vector<Check>& checks);

/// Checks greedy decoding by the engine that `compeer generate` uses.
void check_greedy(const TextCase& text, std::vector<Check>& checks);
/// The same for a model in memory, `policy`, and the values in `greedy`: "prompts" (ids), "new_tokens" (their number),
/// "tokens", and if present "logprobs", "top5_ids" and "top5_logprobs". `prefix` begins the names of the checks;
/// `tolerance` is the largest allowed difference of a log-probability.
void check_greedy(const std::string& prefix, rollout::Policy& policy, const nlohmann::json& greedy, double tolerance,
                  std::vector<Check>& checks);

/// Largest allowed absolute difference of a logit or hidden state.
constexpr double logit_tolerance = 1e-4;

}  // namespace compeer::verify
