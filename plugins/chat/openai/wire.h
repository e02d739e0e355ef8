#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "compeer/chat.h"

namespace compeer::openai {

/// How many alternatives to each token an endpoint is asked for: what OpenAI's gives at most.
inline constexpr int most_alternatives = 20;

inline constexpr const char* without_log_probs =
    "it has no log-probabilities, which by = \"likelihood\" needs; by = \"answer\" doesn't";

/// A token of an answer, and what might have stood there instead, itself included.
struct AnswerToken {
  std::string text;
  std::vector<std::pair<std::string, double>> alternatives;  ///< natural logarithms
};

/// Reads `logprobs.content` of an answer, or of a stream's event, and adds it. Throws json::exception or
/// std::runtime_error if it isn't what it should be.
void add_tokens(const nlohmann::json& content, std::vector<AnswerToken>& tokens);

/// How likely each of the choices was: see wire.h. Empty if the answer is none of them.
std::vector<double> log_probs_of(const std::vector<std::string>& choices, const std::vector<AnswerToken>& tokens);

/// What is the same in every request to an endpoint.
struct RequestFormat {
  std::string model;
  std::string limit_field = "max_tokens";           ///< the name of that field; some models want another
  bool stream = false;                              ///< the answer as server-sent events
  nlohmann::json extra = nlohmann::json::object();  ///< fields added to the body
  std::vector<std::string> omit = {};               ///< fields left out of it
  std::string response_format = "none";             ///< by which it holds answers to a request's choices
};

/// The body of a chat completion request.
std::string body_of(const RequestFormat& form, const ChatRequest& request);

/// What an endpoint sent back, understood.
struct Received {
  ChatReply reply;
  std::string broken;  ///< not empty: it is no answer, and another try may bring one
  bool usage = false;  ///< it says how many tokens there were
};

/// Reads the body of a success: an object, or events ("data: {...}") of a stream. A stream that ends before the answer
/// does is broken. A reply without text that another try would not mend (a refusal, a tool call, the endpoint's filter)
/// has a failure. `weighed`: choices whose log-probs are wanted; an answer without any is broken. They are those of the
/// first token of the answer that tells them apart; of choices that are not among the alternatives which the endpoint
/// tells, what the others leave; of an answer that is none of them there are none.
Received read(const std::string& body, const std::vector<std::string>& weighed = {});

/// An error as an endpoint reports it in a body.
struct ApiError {
  std::string message;      ///< or the start of the body; one line of at most 300 bytes
  std::string code, param;  ///< "insufficient_quota", "max_tokens"; empty if the body has none
};
ApiError error_of(const std::string& body);

}  // namespace compeer::openai
