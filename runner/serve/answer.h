#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::serve {

/// A sampled token with its natural-log probability and the most likely tokens at its position.
struct TokenLogprob {
  std::string bytes;  ///< may be part of a character
  float log_prob = 0;
  std::vector<std::pair<std::string, float>> top_logprobs = {};  ///< bytes and log-probability, most likely first
};

/// Returns the JSON object of a token for the list logprobs.content of OpenAI's API.
std::string json_of(const TokenLogprob& token);

/// A completion, or the part that one chunk of a stream adds to it.
struct CompletionDelta {
  size_t index = 0;  ///< number of the completion within the request
  std::string text;
  std::string log_probs = {};      ///< results of `json_of`, comma-separated; empty if not requested
  std::string finish_reason = {};  ///< finish_reason: "stop" or "length"; empty: not finished
};

/// Numbers of tokens. `cached`: tokens of the prompt that were in the KV cache; `completion`: of all completions.
struct TokenUsage {
  int64_t prompt = 0, cached = 0, completion = 0;
};

/// Writes the JSON objects with which OpenAI's API answers one request.
class AnswerFormat {
 public:
  /// `created`: Unix time in seconds. `log_probs`: they were requested.
  AnswerFormat(std::string id, int64_t created, std::string model, bool log_probs);

  /// Returns the chat.completion object.
  std::string whole(const std::vector<CompletionDelta>& completions, const TokenUsage& usage) const;

  // Objects chat.completion.chunk of a stream.

  /// Returns the first chunk of completion `index`, which has the role.
  std::string opening(size_t index) const;
  /// Returns a chunk that adds `more`.
  std::string chunk(const CompletionDelta& more) const;
  /// Returns the chunk with the usage of the whole request.
  std::string usage(const TokenUsage& usage) const;

 private:
  std::string object(const char* kind, const std::string& choices, const TokenUsage* usage) const;
  std::string choice(const char* field, const nlohmann::ordered_json& message, const CompletionDelta& said,
                     bool log_probs) const;

  const std::string id_, model_;
  const int64_t created_;
  const bool log_probs_;
};

/// Returns {"id": model, "object": "model", ...}; the second function returns a list of such objects.
std::string model_json(const std::string& model, int64_t created);
std::string models_json(const std::vector<std::string>& models, int64_t created);

}  // namespace compeer::serve
