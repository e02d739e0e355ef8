#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "inference/open_model.h"
#include "tools/verify/values.h"

/// Parts of the check of a small language model: forward pass, training, generation.
namespace compeer::verify {

using Ids = std::vector<int64_t>;

/// A model folder with reference values: golden.json and golden.safetensors.
struct TextCase {
  explicit TextCase(const std::filesystem::path& folder);
  /// For a file with several cases: `prefix` is the beginning of the names of this case's tensors.
  TextCase(const std::filesystem::path& folder, const nlohmann::json& golden, const std::filesystem::path& tensors,
           const std::string& prefix);

  std::filesystem::path folder;
  nlohmann::json golden;
  record::Safetensors tensors;
  /// Name of the logits tensor, and prefix of the gradients' names.
  std::string logits = "right.logits", gradients = "grad.";
  std::vector<Ids> sequences;  ///< token ids of the sequences
  /// Precision of the rotary frequencies: bfloat16 if the reference's were rounded to it. That is the case if the whole
  /// model was converted to bfloat16 before it was used; models that transformers loads in bfloat16 keep float32
  /// frequencies.
  std::string rotary_precision = "float32";

  /// Returns the tolerance of log-probabilities and losses: 1e-5, or twice the reference's own float32 rounding error.
  double log_prob_tolerance() const;
};

/// Sets `rotary_precision` to the one whose logits are closer to the reference's.
void find_rotary_precision(TextCase& text);

/// Several sequences as one batch. Throws Error (exit 4) if an id is outside the vocabulary.
struct PackedSequences {
  PackedSequences(const std::vector<Ids>& sequences, int64_t vocabulary);
  Batch batch;
  std::vector<int64_t> starts;  ///< first row of each sequence
  at::Tensor predicting;        ///< int64: rows that predict a known next token
  at::Tensor targets;           ///< int64: these tokens
};

/// Checks one forward pass: logits, hidden states, log-probabilities, entropies, most likely tokens.
void check_forward(const TextCase& text, std::vector<Check>& checks);

/// Checks loss, gradients and optimizer steps.
void check_training(const TextCase& text, std::vector<Check>& checks);

/// Checks greedy decoding by the engine.
void check_greedy(const TextCase& text, std::vector<Check>& checks);
/// Checks greedy decoding against the values in `greedy`: `prompts` (ids), `new_tokens`, `tokens`, and if present
/// `logprobs`, `top5_ids` and `top5_logprobs`.
void check_greedy(const std::string& prefix, rollout::Policy& policy, const nlohmann::json& greedy, double tolerance,
                  std::vector<Check>& checks);

constexpr double logit_tolerance = 1e-4;

}  // namespace compeer::verify
