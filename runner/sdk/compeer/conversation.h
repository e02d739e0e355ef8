#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Data that datasets, rewards and other plugins exchange with the program: dialogues, examples and completions.

namespace compeer {

/// One turn of a dialogue. `role` is "system", "user" or "assistant".
struct Turn {
  std::string role;
  std::string text;
  std::vector<std::string> pictures = {};  ///< image files (PNG or JPEG) shown before the text
};

/// One record of a dataset: the prompt, the expected answer and its metadata.
struct Example {
  std::string id;             ///< stable name of the record; identifies its group
  std::vector<Turn> history;  ///< the prompt; ends with the turn to be answered
  std::string answer;         ///< target of supervised training, or reference answer of other tasks; may be empty
  nlohmann::json record;  ///< labels, ground truth, provenance: for rewards and reports; not interpreted by the runner
  int64_t target_turns = 1;  ///< supervised training: number of the assistant's last turns in the loss, with `answer`
};

/// One completion that the policy (the model that is trained or evaluated) sampled for a prompt.
struct Completion {
  std::string text;           ///< decoded text, without special tokens
  int64_t tokens = 0;         ///< number of sampled tokens, including the end token
  bool finished = true;       ///< false if cut off at the length limit
  double least_log_prob = 0;  ///< natural-log probability of the least likely sampled token; 0 if unknown
  /// The sampled tokens and their natural-log probabilities under the policy, both [tokens]. Empty outside of runs that
  /// sample from a policy.
  std::vector<int32_t> token_ids = {};
  std::vector<float> log_probs = {};
};

/// The completions of one prompt, which are compared with each other (a group in GRPO). Refers to objects of the
/// caller, which are valid during the call.
struct Group {
  const Example& example;                      ///< the prompt and its reference answer
  const std::vector<Completion>& completions;  ///< the completions in order; a column of scores has one number for each
  int64_t step = 0;        ///< training step (evaluation: batch) that samples them, from 1; 0 outside such runs
  std::string split = {};  ///< split that the example belongs to
};

}  // namespace compeer
