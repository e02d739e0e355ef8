#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace compeer::serve {

/// Why a request isn't answered, as OpenAI's clients understand it.
struct HttpError : std::runtime_error {
  HttpError(int http_status, const std::string& message, std::string field = "", std::string short_code = "")
      : std::runtime_error(message), status(http_status), param(std::move(field)), code(std::move(short_code)) {}

  /// {"error": {"message", "type", "param", "code"}}
  std::string body() const;

  int status;
  std::string param, code;
};

/// The body of a chat completion request, understood.
struct ChatCall {
  nlohmann::ordered_json messages;    ///< as chat templates take them: texts, and parts of type text and image
  std::vector<std::string> pictures;  ///< files in memory, in the order in which messages show them
  std::string model;
  double temperature = 1, top_p = 1, min_p = 0, repetition_penalty = 1;
  int64_t top_k = 0;
  std::optional<int64_t> max_tokens;
  int64_t n = 1;
  std::optional<uint64_t> seed;
  std::vector<std::string> stop;
  std::vector<std::string> choices;  ///< the answer is to be one of these; empty: anything
  bool stream = false, usage_in_stream = false;
  bool log_probs = false;
  int64_t alternatives = 0;  ///< to each token, whose log-probs are told, too
};

/// Reads one. Throws HttpError (400) naming the field: not JSON, an unknown field, a value outside its range, whatever
/// can't be done here (tools, penalties, other schemas than one of some texts). Pictures come as data URIs; a file or
/// an address is never opened.
ChatCall read_chat_call(const std::string& body);

}  // namespace compeer::serve
