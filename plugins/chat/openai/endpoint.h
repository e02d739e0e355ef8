#pragma once
#include <optional>
#include <string>

#include "compeer/settings.h"
#include "openai/http.h"
#include "openai/wire.h"

// Settings of the chat plugin `openai`: its endpoint (an HTTP server with OpenAI's chat API), the key, retries, limits
// and prices.

namespace compeer::openai {

/// Retry policy.
struct Patience {
  int64_t retries = 6;           ///< maximum number of retries of a request
  Milliseconds first{1000};      ///< longest wait before the first retry
  Milliseconds longest{60'000};  ///< longest wait before any retry

  /// Returns the wait before the next attempt after `failures` >= 1 failed attempts: exponential backoff with full
  /// jitter, `random` * min(first * 2^(failures - 1), longest), `random` in [0, 1). The wait is at least
  /// min(`retry_after`, `longest`); `retry_after`: the delay that the endpoint asks for, if any.
  Milliseconds wait(int64_t failures, std::optional<Milliseconds> retry_after, double random) const;
};

/// The validated settings of an endpoint.
class Endpoint {
 public:
  /// Reads the key from the environment. Throws std::runtime_error if the URL is invalid, Error (exit code 3: wrong
  /// settings) if settings contradict each other, Error (exit code 5: plugin failure) if the key is malformed or would
  /// be sent unencrypted.
  explicit Endpoint(const Settings& settings);

  /// Returns `text` with the key replaced, so that it may appear in logs, errors and records even if the endpoint sends
  /// the key back.
  std::string clean(std::string text) const;

  /// Returns a line for the log before the first request: the address, and the environment variable with the key.
  std::string introduction() const;

  /// Returns the help text for an error response that every request would get: no access, no such model, no credit, a
  /// field that the endpoint does not accept. Returns "" if other requests may succeed.
  std::string remedy(int64_t status, const ApiError& error) const;

  /// Returns the help text after too many failed requests. `last`: the last failure.
  std::string advice(const HttpResult& last) const;

  /// Returns the cost of these tokens in the currency of the prices.
  double cost(int64_t prompt_tokens, int64_t completion_tokens) const {
    return (static_cast<double>(prompt_tokens) * price_in + static_cast<double>(completion_tokens) * price_out) / 1e6;
  }

  Address address;     ///< the URL without /chat/completions
  RequestFormat form;  ///< fields of the request bodies
  Post post;           ///< URL, headers with the key, and time limits of the requests
  Patience patience;
  size_t concurrent;          ///< maximum number of requests in flight
  Milliseconds min_interval;  ///< minimum time between the starts of two requests; 0: unlimited
  int64_t give_up;            ///< number of failed requests in a row that ends the run; 0: unlimited
  double price_in;            ///< price of a million prompt tokens
  double price_out;           ///< price of a million answer tokens
  double tokens_per_minute;   ///< pacing: prompt and answer tokens per minute; 0: unlimited
  double budget;              ///< maximum cost since the plugin was opened; 0: unlimited
  int64_t budget_tokens;      ///< maximum tokens since the plugin was opened; 0: unlimited

 private:
  // Reads the key from the environment variable in the setting `key_env` and adds it to the headers of `post`.
  void read_key(const Settings& settings);
  // Returns the help text if the error is about a request field that the endpoint does not accept, otherwise "".
  std::string remedy_of_field(const ApiError& error) const;

  std::string key_;      // the secret key; "": none
  std::string key_env_;  // name of the environment variable with the key
};

}  // namespace compeer::openai
