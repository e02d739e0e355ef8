#pragma once
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compeer/chat.h"
#include "compeer/host.h"
#include "openai/endpoint.h"

// The requests of the chat plugin `openai` to its endpoint, an HTTP server with OpenAI's chat API: concurrency,
// retries, pacing and budget.

namespace compeer::openai {

using Clock = std::chrono::steady_clock;

/// Statistics of an endpoint since the plugin was opened.
struct EndpointStats {
  Clock::time_point next;         ///< earliest start of the next request
  int64_t requests = 0;           ///< requests taken from the host
  int64_t tries = 0;              ///< attempts to answer them
  int64_t failed = 0;             ///< requests without an answer: failed after all retries, or refused by the model
  int64_t prompt_tokens = 0;      ///< tokens of the prompts of all answers
  int64_t completion_tokens = 0;  ///< tokens of all answers
  int64_t without_usage = 0;      ///< answers without token counts
  std::map<std::string, int64_t> faults;  ///< number of failed attempts by cause, such as "HTTP 429"
  int64_t failed_in_a_row = 0;            ///< number of consecutive requests that failed after all retries
  bool has_log_probs = false;             ///< true once an answer with requested log-probabilities has arrived
  std::set<std::string> served;           ///< model names in the answers, at most 10

  /// Returns a line for the log: "1200 requests, 1203 tries (HTTP 429: 3), 0 failed; ...".
  std::string summary(const Endpoint& endpoint) const;
};

/// Sends requests to an endpoint: at most Endpoint::concurrent at once, with retries, pacing and a budget. Keeps
/// references to `endpoint` and `host`.
class Traffic {
 public:
  Traffic(const Endpoint& endpoint, Host& host);

  /// Takes and answers all requests of the host. Returns early once the host is cancelled. Throws Error (exit code 5:
  /// plugin failure) for problems that would affect every request and after Endpoint::give_up failures in a row, Error
  /// (exit code 84: budget spent) once the budget is spent.
  void answer(ChatRequests& requests);

  const EndpointStats& stats() const { return stats_; }

 private:
  // A request that was taken from the host and not yet answered.
  struct OpenRequest {
    ChatRequest request;
    int64_t failures = 0;  // number of failed attempts
  };
  // Takes requests from the host, up to the number that could start now. Returns false if none is open and no more will
  // come.
  bool take_requests();
  // Starts waiting requests that are due, as far as concurrency, pacing and budget allow.
  void start_due();
  // True if a budget of the endpoint, cost or tokens, is used up.
  bool budget_spent() const;
  // Throws Error (exit code 84) if the budget is spent and no request is in flight.
  void stop_if_spent() const;
  // Returns how long to wait for a response before looking for new requests and cancellation.
  Milliseconds until_next() const;
  // Handles a request that completed or failed: answers it, retries it or throws Error. `handle_answer` is for
  // responses with a status of success.
  void handle(const HttpResult& ended);
  void handle_answer(const HttpResult& ended);
  // Pacing by tokens per minute: delays the next request by the time that `tokens` take at this rate.
  void delay_by_tokens(int64_t tokens);
  // Schedules another attempt, or fails the request if it has no retries left. `fault`: the key in
  // `EndpointStats::faults`; `cause`: a description for messages.
  void retry(const HttpResult& ended, const std::string& fault, const std::string& cause);
  // Returns the reply to the request with this number to the host, with the key removed from its texts.
  void deliver(size_t number, ChatReply reply);
  // Returns a reply with the failure `why` to the host.
  void fail(size_t number, const std::string& why);

  const Endpoint& endpoint_;
  Host& host_;
  EndpointStats stats_;
  Posts posts_;                         // the requests in flight
  ChatRequests* requests_ = nullptr;    // the host's queue; set during `answer`
  std::map<size_t, OpenRequest> open_;  // requests taken and not yet answered, by the host's number
  // Those of `open_` that are not in flight: time of the next attempt, number.
  std::set<std::pair<Clock::time_point, size_t>> waiting_;
};

}  // namespace compeer::openai
