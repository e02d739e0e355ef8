// Bodies of answers in the format of OpenAI's API.
#include "serve/answer.h"

#include <fmt/format.h>

#include <utility>

namespace compeer::serve {

namespace {

using json = nlohmann::ordered_json;

std::string line_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json token_of(const std::string& bytes, float log_prob) {
  json list = json::array();
  for (const char byte : bytes) list.push_back(static_cast<unsigned char>(byte));
  return {{"token", bytes}, {"logprob", log_prob}, {"bytes", std::move(list)}};
}

json usage_of(const TokenUsage& usage) {
  return {{"prompt_tokens", usage.prompt},
          {"completion_tokens", usage.completion},
          {"total_tokens", usage.prompt + usage.completion},
          {"prompt_tokens_details", {{"cached_tokens", usage.cached}}}};
}

json model_of(const std::string& name, int64_t created) {
  return {{"id", name}, {"object", "model"}, {"created", created}, {"owned_by", "compeer"}};
}

}  // namespace

std::string json_of(const TokenLogprob& token) {
  json one = token_of(token.bytes, token.log_prob);
  one["top_logprobs"] = json::array();
  for (const auto& [bytes, log_prob] : token.top_logprobs) one["top_logprobs"].push_back(token_of(bytes, log_prob));
  return line_of(one);
}

AnswerFormat::AnswerFormat(std::string id, int64_t created, std::string model, bool log_probs)
    : id_(std::move(id)), model_(std::move(model)), created_(created), log_probs_(log_probs) {}

// Formats an element of "choices". Log-probabilities are long and already JSON, so they are inserted as text.
std::string AnswerFormat::choice(const char* field, const json& message, const CompletionDelta& said,
                                 bool log_probs) const {
  return fmt::format(R"({{"index":{},"{}":{},"logprobs":{},"finish_reason":{}}})", said.index, field, line_of(message),
                     log_probs ? R"({"content":[)" + said.log_probs + R"(],"refusal":null})" : "null",
                     said.finish_reason.empty() ? "null" : '"' + said.finish_reason + '"');
}

std::string AnswerFormat::object(const char* kind, const std::string& choices, const TokenUsage* usage) const {
  const json head = {{"id", id_}, {"object", kind}, {"created", created_}, {"model", model_}};
  auto text = line_of(head);
  text.pop_back();
  text += R"(,"choices":[)" + choices + "]";
  if (usage) text += R"(,"usage":)" + line_of(usage_of(*usage));
  return text + "}";
}

std::string AnswerFormat::whole(const std::vector<CompletionDelta>& completions, const TokenUsage& usage) const {
  std::string choices;
  for (const CompletionDelta& said : completions) {
    const json message = {{"role", "assistant"}, {"content", said.text}, {"refusal", nullptr}};
    choices += (choices.empty() ? "" : ",") + choice("message", message, said, log_probs_);
  }
  return object("chat.completion", choices, &usage);
}

std::string AnswerFormat::opening(size_t index) const {
  const json delta = {{"role", "assistant"}, {"content", ""}};
  return object("chat.completion.chunk", choice("delta", delta, {index, "", {}, {}}, false), nullptr);
}

std::string AnswerFormat::chunk(const CompletionDelta& more) const {
  json delta = json::object();
  if (!more.text.empty() || !more.log_probs.empty()) delta["content"] = more.text;
  return object("chat.completion.chunk", choice("delta", delta, more, !more.log_probs.empty()), nullptr);
}

std::string AnswerFormat::usage(const TokenUsage& usage) const { return object("chat.completion.chunk", "", &usage); }

std::string model_json(const std::string& model, int64_t created) { return line_of(model_of(model, created)); }

std::string models_json(const std::vector<std::string>& models, int64_t created) {
  json all = json::array();
  for (const auto& model : models) all.push_back(model_of(model, created));
  return line_of({{"object", "list"}, {"data", all}});
}

}  // namespace compeer::serve
