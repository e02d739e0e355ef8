#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::serve {

/// A token and how likely it was, and the likeliest at its place.
struct ToldToken {
  std::string bytes;  ///< need not be whole characters
  float log_prob = 0;
  std::vector<std::pair<std::string, float>> alternatives = {};
};

/// As an object of the list `content` of log-probs.
std::string json_of(const ToldToken& token);

/// One completion, or what a stream adds to one.
struct Said {
  size_t index = 0;
  std::string text;
  std::string log_probs = {};  ///< if they were asked for: objects, with commas between them
  std::string ended = {};      ///< "stop" or "length"; empty: it goes on
};

struct TokenUsage {
  int64_t prompt = 0, cached = 0, completion = 0;  ///< tokens; of the prompt's, `cached` had been read before
};

/// The objects in which OpenAI's API answers one request.
class AnswerFormat {
 public:
  AnswerFormat(std::string id, int64_t created, std::string model, bool log_probs);

  /// chat.completion
  std::string whole(const std::vector<Said>& completions, const TokenUsage& usage) const;

  /// chat.completion.chunk: the first of a completion, what it adds, and what the whole request took.
  std::string opening(size_t index) const;
  std::string chunk(const Said& more) const;
  std::string usage(const TokenUsage& usage) const;

 private:
  std::string object(const char* kind, const std::string& choices, const TokenUsage* usage) const;
  std::string choice(const char* field, const nlohmann::ordered_json& message, const Said& said, bool log_probs) const;

  const std::string id_, model_;
  const int64_t created_;
  const bool log_probs_;
};

/// {"id": model, "object": "model", ...}; and a list of such.
std::string model_json(const std::string& model, int64_t created);
std::string models_json(const std::vector<std::string>& models, int64_t created);

}  // namespace compeer::serve
