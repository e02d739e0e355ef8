#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace compeer::openai {

using Milliseconds = std::chrono::milliseconds;

/// A parsed URL of an endpoint. The constructor throws std::runtime_error with the problem if it is invalid.
struct Address {
  explicit Address(const std::string& url);
  std::string url;
  bool secure = false;    ///< https
  bool loopback = false;  ///< localhost, 127.x.x.x or ::1
};

/// Parameters common to all HTTP POST requests of an endpoint.
struct Post {
  std::string url;
  std::vector<std::string> headers;
  bool direct = false;           ///< bypass proxies set in the environment
  std::string authorities;       ///< PEM file of the certificates trusted instead of the system's; empty: the system's
  Milliseconds connect{10'000};  ///< limit for connecting
  Milliseconds whole{600'000};   ///< limit for the whole request
  Milliseconds stall{120'000};   ///< limit between two pieces of a response that has begun
  uint64_t largest = uint64_t{16} << 20;  ///< maximum bytes of a response
};

/// A completed or failed request.
struct HttpResult {
  size_t id = 0;
  int64_t status = 0;  ///< HTTP status; 0 if there was none
  std::string body;
  /// Delay the endpoint asked for (Retry-After, retry-after-ms).
  std::optional<Milliseconds> retry_after;
  std::string error;  ///< why the response is incomplete (no connection, timeout, cut off); empty if it is complete
  bool too_large = false;     ///< aborted because the response exceeded `largest`
  bool is_permanent = false;  ///< incomplete for a reason that a retry can't fix
};

/// Concurrent POST requests, with connections that are reused. The only user of libcurl in this plugin.
class Posts {
 public:
  explicit Posts(Post post);
  ~Posts();

  /// Starts a request; `id` identifies its HttpResult.
  void start(size_t id, std::string body);
  /// Returns the number of requests in flight.
  size_t active() const;
  /// Aborts all requests in flight; they are not reported by `wait`.
  void drop();

  /// Blocks until a request ends or `longest` has passed. Returns the requests that have ended since the last call.
  std::vector<HttpResult> wait(Milliseconds longest);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace compeer::openai
