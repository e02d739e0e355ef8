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

/// What lasts from one call to the next: when the endpoint may be asked again, and what it has cost.
struct Account {
  Clock::time_point next;  ///< no request starts before
  int64_t requests = 0, tries = 0, failed = 0;
  int64_t prompt_tokens = 0, completion_tokens = 0;
  int64_t unknown = 0;                    ///< answers that do not say how many tokens they took
  std::map<std::string, int64_t> faults;  ///< why requests were tried again: "HTTP 429"
  int64_t failed_in_a_row = 0;
  bool weighs = false;           ///< log-probs have come
  std::set<std::string> served;  ///< who answered, as answers say

  /// For the log: "1200 requests, 1203 tries (HTTP 429: 3), 0 failed; ..."
  std::string summary(const Endpoint& endpoint) const;
};

/// What is under way to an endpoint: keeps `concurrent` requests there until each is answered or has failed for good.
class Traffic {
 public:
  Traffic(const Endpoint& endpoint, Host& host);

  /// Returns early once the host is cancelled. Throws Error for what would fail for any request, and once the budget is
  /// spent (exit 84).
  void answer(ChatRequests& requests);

  const Account& account() const { return account_; }

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
  void take(const Ended& ended);
  void take_answer(const Ended& ended);
  void pace(int64_t tokens);
  void again(const Ended& ended, const std::string& fault, const std::string& cause);
  void deliver(size_t number, ChatReply reply);
  void fail(size_t number, const std::string& why);

  const Endpoint& endpoint_;
  Host& host_;
  Account account_;
  Posts posts_;
  ChatRequests* requests_ = nullptr;                        // during a call
  std::map<size_t, Open> open_;                             // that were taken and have no reply
  std::set<std::pair<Clock::time_point, size_t>> waiting_;  // those not under way, by when they are due
};

}  // namespace compeer::openai
