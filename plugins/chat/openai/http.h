#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// HTTP requests of the chat plugin `openai` to its endpoint, the server that answers chat requests.

namespace compeer::openai {

using Milliseconds = std::chrono::milliseconds;

/// A parsed URL of an endpoint.
struct Address {
  /// Throws std::runtime_error with the problem if `url` is invalid, or contains a password or a query.
  explicit Address(const std::string& url);
  std::string url;
  bool secure = false;    ///< https
  bool loopback = false;  ///< the host is this machine: localhost, 127.x.x.x or ::1
};

/// Parameters common to all HTTP POST requests of an endpoint.
struct Post {
  std::string url;
  std::vector<std::string> headers;  ///< lines such as "Content-Type: application/json"
  bool direct = false;               ///< bypass proxies set in the environment
  std::string authorities;       ///< PEM file of the certificates trusted instead of the system's; empty: the system's
  Milliseconds connect{10'000};  ///< limit for connecting
  Milliseconds whole{600'000};   ///< limit for the whole request
  Milliseconds stall{120'000};   ///< limit between two pieces of a response that has begun
  uint64_t largest = uint64_t{16} << 20;  ///< maximum bytes of a response
};

/// A request that has ended, with or without a complete response.
struct HttpResult {
  size_t id = 0;       ///< the id given to Posts::start
  int64_t status = 0;  ///< HTTP status; 0: no response
  std::string body;    ///< body of the response, as far as received
  /// Delay before a retry that the endpoint asks for (headers Retry-After, retry-after-ms); nullopt: none.
  std::optional<Milliseconds> retry_after;
  std::string error;  ///< why the response is incomplete (no connection, timeout, cut off); empty if it is complete
  bool too_large = false;     ///< aborted because the response exceeded `Post::largest`
  bool is_permanent = false;  ///< incomplete for a reason that a retry can't fix
};

/// Concurrent POST requests over reused connections, by libcurl. Not thread-safe.
class Posts {
 public:
  explicit Posts(Post post);
  ~Posts();

  /// Starts a request with this body. `id`: any number that identifies its HttpResult.
  void start(size_t id, std::string body);
  /// Returns the number of requests in flight.
  size_t active() const;
  /// Aborts all requests in flight. `wait` does not return them.
  void drop();

  /// Sends and receives data until a request ends or `longest` has passed. Returns the requests that have ended since
  /// the last call.
  std::vector<HttpResult> wait(Milliseconds longest);

 private:
  struct State;  // libcurl's handles and the requests in flight
  std::unique_ptr<State> state_;
};

}  // namespace compeer::openai
