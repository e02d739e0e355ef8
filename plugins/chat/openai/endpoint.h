#pragma once
#include <optional>
#include <string>

#include "compeer/settings.h"
#include "openai/http.h"
#include "openai/wire.h"

namespace compeer::openai {

/// Retry policy.
struct Patience {
  /// Maximum number of retries of a request.
  int64_t retries = 6;
  /// Longest wait before the first retry, and before any retry.
  Milliseconds first{1000}, longest{60'000};

  /// Returns the wait before the next attempt after `failures` >= 1 failed ones: exponential backoff with full jitter,
  /// `random` * min(first * 2^(failures - 1), longest), `random` in [0, 1). At least `retry_after`, which counts at
  /// most `longest`.
  Milliseconds wait(int64_t failures, std::optional<Milliseconds> retry_after, double random) const;
};

/// The validated settings of an endpoint. The constructor throws Error that names the setting.
class Endpoint {
 public:
  explicit Endpoint(const Settings& settings);

  /// Returns `text` with the key replaced, so that it may appear in logs, errors and records even if the endpoint sends
  /// the key back.
  std::string clean(std::string text) const;

  /// Returns a line for the log before the first request: the address, and the environment variable with the key.
  std::string introduction() const;

  /// Returns the help text for an error that would affect every request: no access, no such model, no credit, a field
  /// the endpoint does not accept. Empty if other requests may succeed.
  std::string remedy(int64_t status, const ApiError& error) const;

  /// Returns the help text after too many failed requests, derived from the last one.
  std::string advice(const HttpResult& last) const;

  /// Returns the cost in the currency of the prices.
  double cost(int64_t prompt_tokens, int64_t completion_tokens) const {
    return (static_cast<double>(prompt_tokens) * price_in + static_cast<double>(completion_tokens) * price_out) / 1e6;
  }

  Address address;
  RequestFormat form;
  Post post;
  Patience patience;
  /// Maximum number of requests in flight.
  size_t concurrent;
  Milliseconds apart;          ///< minimum time between the starts of two requests
  int64_t give_up;             ///< number of failed requests in a row that ends the run; 0: unlimited
  double price_in, price_out;  ///< per million tokens
  double tokens_per_minute;    ///< 0: unlimited, also for the budgets
  double budget;               ///< maximum cost since the plugin was opened
  /// Maximum tokens since the plugin was opened.
  int64_t budget_tokens;

 private:
  void read_key(const Settings& settings);
  std::string remedy_of_field(const ApiError& error) const;

  std::string key_, key_env_;
};

}  // namespace compeer::openai
