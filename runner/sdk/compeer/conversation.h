#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer {

/// One utterance. Roles are those of the chat format: system, user, assistant.
struct Turn {
  std::string role;
  std::string text;
  std::vector<std::string> pictures = {};  ///< files, PNG or JPEG, that are shown before the text
};

/// One record of a dataset: what is shown to the model, what it should say, and what is known about it.
struct Example {
  std::string id;             ///< stable name of the record; a group is identified by it
  std::vector<Turn> history;  ///< ends with the turn that is to be answered
  std::string answer;         ///< the completion to learn from (sft); the reference (grpo, evaluate). May be empty
  nlohmann::json record;      ///< labels, truth, provenance: for rewards and reports; opaque to the runner
  int64_t learn = 1;          ///< sft: how many of the assistant's last turns are learned, `answer` included
};

/// One sampled completion.
struct Completion {
  std::string text;           ///< decoded, without special tokens
  int64_t tokens = 0;         ///< sampled tokens, the end token included
  bool finished = true;       ///< false if cut off at the length limit
  double least_log_prob = 0;  ///< that of the sampled token that the model found least likely; 0 if it isn't known
  /// The sampled tokens and the natural logarithms of how likely the policy was to say each; of completions that a
  /// policy has sampled in a run, and empty otherwise.
  std::vector<int32_t> token_ids = {};
  std::vector<float> log_probs = {};
};

/// The completions of one prompt, which are compared with each other.
struct Group {
  const Example& example;
  const std::vector<Completion>& completions;  ///< G of them
  int64_t step = 0;                            ///< of the run that samples them, the first is 1
  std::string split = {};                      ///< that the example comes from
};

}  // namespace compeer
