#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "compeer/chat.h"

namespace compeer::openai {

/// Number of alternatives requested for each token: the maximum of OpenAI's API.
inline constexpr int most_alternatives = 20;

/// Value of Received::error if log-probabilities were requested but are missing.
inline constexpr const char* without_log_probs =
    "it has no log-probabilities, which score_by = \"likelihood\" requires; score_by = \"answer\" does not";

/// A token of an answer, with the alternatives at its position, itself included.
struct AnswerToken {
  std::string text;
  std::vector<std::pair<std::string, double>> alternatives;  ///< natural log-probabilities
};

/// Parses `logprobs.content` of an answer or of a stream event and appends its tokens. Throws json::exception or
/// std::runtime_error if it is malformed.
void add_tokens(const nlohmann::json& content, std::vector<AnswerToken>& tokens);

/// Returns the natural log-probability of each choice, summed over the alternatives of the answer's first token that
/// mean it. A choice without one gets an upper bound: the smaller of the least likely alternative and the remaining
/// probability. Empty if the first token does not mean exactly one choice.
std::vector<double> choice_log_probs(const std::vector<std::string>& choices, const std::vector<AnswerToken>& tokens);

/// The settings of an endpoint that determine request bodies.
struct RequestFormat {
  std::string model;
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
  ChatReply reply;
  std::string error;   ///< why it is not an answer and a retry may help; empty if it is one
  bool usage = false;  ///< true if the response has token counts
};

/// Parses the body of a successful response: an object, or a stream of events ("data: {...}"). A stream that ends
/// within the answer is broken. An answer without text that a retry would not change (a refusal, a tool call, the
/// endpoint's filter) has a failure. `weighed`: choices whose log-probabilities are wanted (choice_log_probs); an
/// answer without any log-probabilities is then broken.
Received read(const std::string& body, const std::vector<std::string>& weighed = {});

/// An error reported in a response body.
struct ApiError {
  std::string message;      ///< the message, or the start of the body: one line of at most 300 bytes
  std::string code, param;  ///< "insufficient_quota", "max_tokens"; empty if the body has none
};
/// Parses the body of an error response, in any of the usual layouts or as an HTML page.
ApiError error_of(const std::string& body);

}  // namespace compeer::openai
