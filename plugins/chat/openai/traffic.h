#pragma once
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compeer/chat.h"
#include "compeer/host.h"
#include "openai/endpoint.h"

namespace compeer::openai {

using Clock = std::chrono::steady_clock;

/// Statistics of an endpoint that are kept between calls: pacing, counts, tokens and failures.
struct EndpointStats {
  Clock::time_point next;  ///< earliest start of the next request
  /// Requests taken, attempts to answer them, and requests without an answer.
  int64_t requests = 0, tries = 0, failed = 0;
  int64_t prompt_tokens = 0, completion_tokens = 0;
  int64_t unknown = 0;                    ///< answers without a token count
  std::map<std::string, int64_t> faults;  ///< number of failed attempts by cause, such as "HTTP 429"
  /// Number of consecutive requests without any response after all retries.
  int64_t failed_in_a_row = 0;
  bool weighs = false;           ///< true once log-probabilities have arrived
  std::set<std::string> served;  ///< model names in the answers, at most 10

  /// Returns a line for the log: "1200 requests, 1203 tries (HTTP 429: 3), 0 failed; ...".
  std::string summary(const Endpoint& endpoint) const;
};

/// Sends requests to an endpoint: at most `concurrent` at once, with retries, pacing and a budget. Keeps references to
/// `endpoint` and `host`.
class Traffic {
 public:
  Traffic(const Endpoint& endpoint, Host& host);

  /// Answers all requests. Returns early once the host is cancelled. Throws Error for problems that would affect every
  /// request, after `give_up` failures in a row, and once the budget is spent (exit 84).
  void answer(ChatRequests& requests);

  const EndpointStats& account() const { return account_; }

 private:
  struct Open {
    ChatRequest request;
    int64_t failures = 0;
  };
  bool take_requests();
  void start_due();
  bool spent() const;
  void stop_if_spent() const;
  Milliseconds until_next() const;
  void take(const HttpResult& ended);
  void take_answer(const HttpResult& ended);
  void delay_by_tokens(int64_t tokens);
  void again(const HttpResult& ended, const std::string& fault, const std::string& cause);
  void deliver(size_t number, ChatReply reply);
  void fail(size_t number, const std::string& why);

  const Endpoint& endpoint_;
  Host& host_;
  EndpointStats account_;
  Posts posts_;
  ChatRequests* requests_ = nullptr;  // set during `answer`
  std::map<size_t, Open> open_;       // requests taken but not answered, by number
  // Those of them not in flight, by the time of the next attempt.
  std::set<std::pair<Clock::time_point, size_t>> waiting_;
};

}  // namespace compeer::openai
