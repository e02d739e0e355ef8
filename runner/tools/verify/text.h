#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "inference/open_model.h"
#include "tools/verify/values.h"

/// The parts of the check of a small language model, in files of their own: what is read, what is learned, what is
/// written.
namespace compeer::verify {

using Ids = std::vector<int64_t>;

/// A model folder with golden.json and golden.safetensors.
struct TextCase {
  explicit TextCase(const std::filesystem::path& folder);
  /// Of a file that holds several: its tensors' names begin with `prefix`.
  TextCase(const std::filesystem::path& folder, const nlohmann::json& golden, const std::filesystem::path& tensors,
           const std::string& prefix);

  std::filesystem::path folder;
  nlohmann::json golden;
  record::Safetensors tensors;
  std::string logits = "right.logits", gradients = "grad.";  ///< names of tensors, and how those of gradients begin
  std::vector<Ids> sequences;
  /// bfloat16 if that is what the reference's rotary frequencies were rounded to: so they are where a model was brought
  /// to bfloat16 as a whole before anything was computed with it. (Those that transformers loads in bfloat16 keep
  /// them.)
  std::string rotary_precision = "float32";

  /// Of log-probabilities and losses: 1e-5, or twice what rounding to float32 cost the reference itself.
  double log_prob_tolerance() const;
};

/// Sets `rotary_precision` to what comes nearer to the reference's logits.
void find_rotary_precision(TextCase& text);

/// Sequences side by side: the batch, and their rows in it. Ids outside the vocabulary are an Error (exit 4).
struct SideBySide {
  SideBySide(const std::vector<Ids>& sequences, int64_t vocabulary);
  Batch batch;
  std::vector<int64_t> starts;  ///< first row of each
  at::Tensor predicting;        ///< int64: rows whose next token is known
  at::Tensor targets;           ///< int64: that token
};

/// Logits, hidden states, log-probabilities, entropies, most likely tokens: one forward pass.
void check_forward(const TextCase& text, std::vector<Check>& checks);

/// Loss, gradients and steps of the optimizer.
void check_training(const TextCase& text, std::vector<Check>& checks);

/// Greedy tokens, from the engine.
void check_greedy(const TextCase& text, std::vector<Check>& checks);
/// The same of `greedy`: `prompts` (ids), `new_tokens`, `tokens`; `logprobs`, `top5_ids` and `top5_logprobs` if it has
/// them.
void check_greedy(const std::string& prefix, rollout::Policy& policy, const nlohmann::json& greedy, double tolerance,
                  std::vector<Check>& checks);

constexpr double logit_tolerance = 1e-4;

}  // namespace compeer::verify
