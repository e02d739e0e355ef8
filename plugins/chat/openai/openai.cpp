// Chat models behind an HTTP endpoint that accepts POST <url>/chat/completions as OpenAI's API does. The key is read
// from the environment and sent only in a request header.
//
//   url, name            the endpoint's URL without /chat/completions; the model's name there
//   key_env              environment variable with the key; unset: requests have none
//   key_over_http        allow sending the key unencrypted to another machine
//   authorities          certificates to trust instead of the system's
//   concurrent           maximum requests in flight, for each rank
//   timeout, connect_timeout, stall_timeout      seconds: whole request, connecting, between pieces of an answer
//   retries, backoff, backoff_max, give_up       retry policy
//   requests_per_minute, tokens_per_minute       limits for each rank
//   budget, budget_tokens  limits for each rank; when reached, the run stops and can be resumed
//   stream               receive the answer in pieces, so that dead connections are detected early
//   limit_field, extra, omit                     adaptations of the request body
//   response_format      how the endpoint restricts answers to the possible labels
//   price_in, price_out  per million tokens, in any currency

#include "compeer/chat.h"
#include "compeer/plugin.h"
#include "openai/traffic.h"

namespace {

using namespace compeer;

class OpenAi : public ChatModel {
 public:
  OpenAi(const Settings& settings, Host& host) : host_(host), endpoint_(settings), traffic_(endpoint_, host) {
    host_.log(endpoint_.form.model + ": " + endpoint_.introduction());
  }
  ~OpenAi() override {
    try {
      const auto& stats = traffic_.stats();
      if (stats.requests > 0) host_.log(endpoint_.form.model + ": " + stats.summary(endpoint_));
    } catch (...) {  // a missing log line is no error
    }
  }

  void answer(ChatRequests& requests) override { traffic_.answer(requests); }

  bool is_async() const override { return true; }

  std::string model() const override { return endpoint_.form.model; }

  std::string cache_key() const override {
    const auto& form = endpoint_.form;
    nlohmann::json said{{"url", endpoint_.address.url}, {"extra", form.extra}, {"omit", form.omit}};
    if (form.response_format != "none") said["response_format"] = form.response_format;
    return said.dump();
  }

 private:
  Host& host_;
  openai::Endpoint endpoint_;
  openai::Traffic traffic_;
};

}  // namespace

COMPEER_PLUGIN(ChatModel, chat, openai, OpenAi, R"json(
  "version": "1.0.0",
  "summary": "A chat model behind an HTTP endpoint with OpenAI's chat API.",
  "parameters": {
    "url": {"type": "string", "help": "the endpoint's URL without /chat/completions: https://api.example.com/v1"},
    "name": {"type": "string", "help": "the model's name at the endpoint"},
    "key_env": {"type": "string", "default": "OPENAI_API_KEY",
                "help": "environment variable with the key; if it is not set, requests have no key"},
    "key_over_http": {"type": "boolean", "default": false,
                      "help": "allow sending the key to another machine over http, unencrypted"},
    "authorities": {"type": "path", "default": null,
                    "help": "PEM file with the certificates to trust instead of the system's"},
    "concurrent": {"type": "integer", "default": 8, "min": 1, "max": 1024,
                   "help": "maximum requests in flight, for each rank"},
    "timeout": {"type": "number", "default": 600, "above": 0, "max": 86400,
      "help": "maximum seconds for a whole answer"},
    "connect_timeout": {"type": "number", "default": 10, "above": 0, "max": 86400,
                        "help": "maximum seconds to connect to the endpoint"},
    "stall_timeout": {"type": "number", "default": 120, "above": 0, "max": 86400,
                      "help": "maximum seconds without new data once an answer has begun"},
    "retries": {"type": "integer", "default": 6, "min": 0, "max": 1000, "help": "maximum retries of a request"},
    "backoff": {"type": "number", "default": 1, "min": 0, "max": 86400,
                "help": "maximum seconds to wait before the first retry; doubles with each further one"},
    "backoff_max": {"type": "number", "default": 60, "min": 0, "max": 86400,
                    "help": "maximum seconds to wait before any retry, even if the endpoint asks for more"},
    "give_up": {"type": "integer", "default": 16, "min": 0,
                "help": "stop the run after this many consecutive requests fail, each after all retries; 0: never"},
    "requests_per_minute": {"type": "number", "default": 0, "min": 0, "help": "limit for each rank; 0: none"},
    "tokens_per_minute": {"type": "number", "default": 0, "min": 0,
                          "help": "limit for each rank, prompts and answers together; 0: none"},
    "budget": {"type": "number", "default": 0, "min": 0,
               "help": "maximum cost of a rank since its start; then the run stops and can be resumed; 0: no limit"},
    "budget_tokens": {"type": "integer", "default": 0, "min": 0, "help": "same limit, in tokens; 0: none"},
    "stream": {"type": "boolean", "default": false,
               "help": "receive answers in parts, so that stall_timeout detects dead connections early"},
    "limit_field": {"type": "string", "default": "max_tokens", "choices": ["max_tokens", "max_completion_tokens"],
                    "help": "request field for the maximum tokens of an answer"},
    "extra": {"type": "table", "open": true, "default": {}, "help": "fields added to the request body"},
    "omit": {"type": "list", "items": "string", "default": [],
             "help": "fields left out of the request body, such as 'seed' if the endpoint rejects it"},
    "response_format": {"type": "string", "default": "none", "choices": ["none", "json_schema", "choices"],
                        "help": "how to restrict answers to given labels; choices: the field of compeer serve"},
    "price_in": {"type": "number", "default": 0, "min": 0, "help": "price of a million prompt tokens"},
    "price_out": {"type": "number", "default": 0, "min": 0, "help": "price of a million answer tokens"}
  })json")
