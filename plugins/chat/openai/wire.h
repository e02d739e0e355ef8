#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "compeer/chat.h"

// Bodies of requests and responses of OpenAI's chat API, for the chat plugin `openai`. Some requests list "choices",
// the allowed answers, and ask for the probability of each. It is computed from the token log-probabilities in the
// response.

namespace compeer::openai {

/// Number of alternative tokens requested at each position of an answer: the maximum of OpenAI's API.
inline constexpr int most_alternatives = 20;

/// Value of Received::error if log-probabilities were requested but are missing.
inline constexpr const char* without_log_probs =
    "it has no log-probabilities, which score_by = \"likelihood\" requires; score_by = \"answer\" does not";

/// A token of an answer, with the likeliest tokens at its position.
struct AnswerToken {
  std::string text;
  /// Texts of the likeliest tokens, including this one, with their natural log-probabilities.
  std::vector<std::pair<std::string, double>> alternatives;
};

/// Parses `content`, the list `logprobs.content` of an answer or of a stream event, and appends its tokens to `tokens`.
/// Throws json::exception or std::runtime_error if it is malformed.
void add_tokens(const nlohmann::json& content, std::vector<AnswerToken>& tokens);

/// Returns the natural-log probability of each of `choices`, from `tokens`, the tokens of the answer. The probability
/// of a choice is the sum over the alternatives of the answer's first token with which only this choice begins. A
/// choice without alternative gets an upper bound: the smaller of the least likely alternative and the remaining
/// probability. Empty if the first token does not begin exactly one choice.
std::vector<double> choice_log_probs(const std::vector<std::string>& choices, const std::vector<AnswerToken>& tokens);

/// The settings of an endpoint that determine request bodies.
struct RequestFormat {
  std::string model;                                ///< name of the model at the endpoint
  std::string limit_field = "max_tokens";           ///< name of the field that limits an answer's tokens
  bool stream = false;                              ///< request server-sent events
  nlohmann::json extra = nlohmann::json::object();  ///< fields added to the body
  std::vector<std::string> omit = {};               ///< fields removed from the body
  /// How answers are restricted to a request's choices: "none", "json_schema" or "choices".
  std::string response_format = "none";
};

/// Returns the JSON body of a chat completion request.
std::string body_of(const RequestFormat& form, const ChatRequest& request);

/// A parsed response.
struct Received {
  ChatReply reply;     ///< the answer; valid only if `error` is empty
  std::string error;   ///< reason why the response is not an answer, so that a retry may help; empty if it is one
  bool usage = false;  ///< true if the response has token counts
};

/// Parses the body of a response with a status of success: a JSON object, or a stream of events ("data: {...}"). Sets
/// `Received::error` if it is malformed or the stream ends within the answer. Sets `ChatReply::failure` if the answer
/// has no text and a retry would not change it (a refusal, a tool call, the endpoint's filter). `weighed`: choices for
/// which `ChatReply::log_probs` is computed; a response without log-probabilities is then an error. Empty: not
/// computed.
Received read(const std::string& body, const std::vector<std::string>& weighed = {});

/// An error reported in a response body.
struct ApiError {
  std::string message;  ///< the message, or the start of the body: one line of at most 300 bytes
  std::string code;     ///< kind of error, such as "insufficient_quota"; empty if the body has none
  std::string param;    ///< request field that caused the error, such as "max_tokens"; empty if the body has none
};
/// Parses the body of an error response: JSON in any of the usual layouts, an HTML page or other text.
ApiError error_of(const std::string& body);

}  // namespace compeer::openai
