#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/chat.h"

namespace compeer::openai {

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
