#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace compeer::openai
