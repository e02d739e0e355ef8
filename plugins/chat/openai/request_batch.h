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

  /// For the log: "1200 requests, 1203 tries (HTTP 429: 3), 0 failed; ..."
  std::string summary(const Endpoint& endpoint) const;
};

/// One call: keeps `concurrent` requests under way until each is answered or has failed for good.
class RequestBatch {
 public:
  RequestBatch(const Endpoint& endpoint, Account& account, Host& host, const std::vector<ChatRequest>& requests,
               const Chat::Arrived& arrived);

  /// Returns early once the host is cancelled. Throws Error for what would fail for any request.
  void run();

 private:
  void start_due();
  Milliseconds until_next() const;
  void take(const Ended& ended);
  void take_answer(const Ended& ended);
  void again(const Ended& ended, const std::string& fault, const std::string& cause);
  void deliver(size_t request, ChatReply reply);
  void fail(size_t request, const std::string& why);

  const Endpoint& endpoint_;
  Account& account_;
  Host& host_;
  const std::vector<ChatRequest>& requests_;
  const Chat::Arrived& arrived_;
  Posts posts_;
  std::set<std::pair<Clock::time_point, size_t>> waiting_;  // requests, by when they are due
  std::vector<int64_t> failures_;                           // of each request
  uint32_t first_;                                          // keeps the random numbers of calls apart
};

}  // namespace compeer::openai
