#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
  std::string answer;         ///< training target (sft) or reference answer (grpo, evaluate); may be empty
  nlohmann::json record;  ///< labels, ground truth, provenance: for rewards and reports; not interpreted by the runner
  int64_t target_turns = 1;  ///< sft: how many of the assistant's last turns are in the loss, including `answer`
};

/// One sampled completion.
struct Completion {
  std::string text;           ///< decoded text, without special tokens
  int64_t tokens = 0;         ///< number of sampled tokens, including the end token
  bool finished = true;       ///< false if cut off at the length limit
  double least_log_prob = 0;  ///< natural-log probability of the least likely sampled token; 0 if unknown
  /// The sampled tokens and their natural-log probabilities under the policy. Only in runs that sample from a policy;
  /// empty otherwise.
  std::vector<int32_t> token_ids = {};
  std::vector<float> log_probs = {};
};

/// The completions of one prompt, which are compared with each other. Refers to objects of the caller.
struct Group {
  const Example& example;
  const std::vector<Completion>& completions;  ///< the G completions
  int64_t step = 0;        ///< training step (evaluation: batch) that samples them, from 1; 0 outside such runs
  std::string split = {};  ///< split that the example belongs to
};

}  // namespace compeer
