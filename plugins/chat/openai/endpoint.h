#pragma once
#include <optional>
#include <string>

#include "compeer/settings.h"
#include "openai/http.h"
#include "openai/wire.h"

namespace compeer::openai {

/// How long to wait, and how often.
struct Patience {
  int64_t retries = 6;
  Milliseconds first{1000}, longest{60'000};

  /// Before the next try, after `failures` >= 1 of them: anything up to first * 2^(failures - 1), at most `longest`
  /// (full jitter), `random` in [0, 1) saying what; and no less than the endpoint asked for, up to `longest`.
  Milliseconds wait(int64_t failures, std::optional<Milliseconds> retry_after, double random) const;
};

/// Everything that the settings say, checked. Throws Error naming the setting.
class Endpoint {
 public:
  explicit Endpoint(const Settings& settings);

  /// Text that may go into logs, errors and records: without the key, should the endpoint have sent it back.
  std::string clean(std::string text) const;

  /// Who is asked, and with which key: the name of its variable. For the log, before anything is sent.
  std::string introduction() const;

  /// What to do about an error that every request would get: no access, no such model, no credit, a field that the
  /// endpoint does not know. Empty if other requests may succeed.
  std::string remedy(int64_t status, const ApiError& error) const;

  /// What to do after requests that stayed without an answer, from the last of them.
  std::string advice(const Ended& last) const;

  /// In the currency of the prices.
  double cost(int64_t prompt_tokens, int64_t completion_tokens) const {
    return (static_cast<double>(prompt_tokens) * price_in + static_cast<double>(completion_tokens) * price_out) / 1e6;
  }

  Address address;
  RequestFormat form;
  Post post;
  Patience patience;
  size_t concurrent;
  Milliseconds apart;          ///< between the starts of two requests
  int64_t give_up;             ///< requests in a row without an answer; 0: never
  double price_in, price_out;  ///< of a million tokens
  double tokens_per_minute;    ///< 0: no limit, as below
  double budget;               ///< of a start
  int64_t budget_tokens;

 private:
  void read_key(const Settings& settings);
  std::string remedy_of_field(const ApiError& error) const;

  std::string key_, key_env_;
};

}  // namespace compeer::openai
