#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// Requests to POST /v1/chat/completions of `compeer serve`, in the JSON format of OpenAI's chat-completion API.

namespace compeer::serve {

/// An error response in the format of OpenAI's API. `what()` is the message.
struct HttpError : std::runtime_error {
  /// `field`: becomes `param`. `short_code`: becomes `code`.
  HttpError(int http_status, const std::string& message, std::string field = "", std::string short_code = "")
      : std::runtime_error(message), status(http_status), param(std::move(field)), code(std::move(short_code)) {}

  /// Returns the JSON body {"error": {"message", "type", "param", "code"}}.
  std::string body() const;

  int status;               ///< HTTP status
  std::string param, code;  ///< request field that is wrong, machine-readable code; empty: null in the body
};

/// A parsed chat completion request. Names and defaults are those of OpenAI's API unless stated.
struct CompletionRequest {
  nlohmann::ordered_json messages;    ///< for chat templates: content is a text, or parts of type text and image
  std::vector<std::string> pictures;  ///< PNG and JPEG files in memory, in the order of the messages' image parts
  std::string model;
  double temperature = 1, top_p = 1, min_p = 0, repetition_penalty = 1;
  int64_t top_k = 0;                  ///< 0: off
  std::optional<int64_t> max_tokens;  ///< most tokens of a completion; empty: limited by the model's positions
  int64_t n = 1;                      ///< number of completions
  std::optional<uint64_t> seed;       ///< empty: the server's seed, and equal requests get different answers
  std::vector<std::string> stop;      ///< stop strings, which end a completion and are not part of it
  std::vector<std::string> choices;   ///< texts that the answer is restricted to; empty: free text
  /// Answer with a stream of chunks; end the stream with the numbers of tokens (stream_options.include_usage).
  bool stream = false, usage_in_stream = false;
  bool log_probs = false;    ///< report the log-probability of each token (field "logprobs")
  int64_t top_logprobs = 0;  ///< number of most likely tokens to report per position
};

/// Parses the body of a request. Throws HttpError (400), naming the field, if it is not JSON, has an unknown field, a
/// value out of range, or an unsupported feature (tools, presence and frequency penalties, schemas that allow more than
/// a few answers). Pictures must be data URIs: no file or address is opened.
CompletionRequest read_completion_request(const std::string& body);

}  // namespace compeer::serve
