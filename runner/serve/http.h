#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

// The HTTP server of `compeer serve`: requests, responses and limits, without any knowledge of models.

namespace compeer::serve {

/// A complete request.
struct HttpRequest {
  std::string method, path;                               ///< "POST"; "/v1/models", without the query string
  std::string content_type, authorization, origin, host;  ///< headers; empty if absent
  std::string body;
};

/// True if the Host header `host` ("localhost:8000", "[::1]") names this machine: localhost, a loopback address, or
/// `name`, the host that the server listens on. The port is ignored. Protects against DNS rebinding: a web page whose
/// domain resolves to this machine sends its own name.
bool is_local_host(const std::string& host, const std::string& name);

/// The response to one request: either one `send`, or any number of `event` calls and one `end`. Thread-safe. Data for
/// a client that has disconnected is discarded.
class Response {
 public:
  virtual ~Response() = default;

  /// Sends a complete response with HTTP status `status` and the body `json`. `retry_after`: seconds, for the header
  /// Retry-After; empty: no such header.
  virtual void send(int status, std::string json, std::optional<int> retry_after = {}) = 0;

  /// Sends one server-sent event, "data: ...", with status 200 at the first.
  virtual void event(const std::string& data) = 0;
  /// Ends the stream of events.
  virtual void end() = 0;

  /// True if the client has disconnected, or the response is complete.
  virtual bool gone() const = 0;
};

/// Limits on the memory and time that clients may take.
struct HttpLimits {
  size_t header = 16 << 10, body = 32 << 20;  ///< most bytes of a request's headers and of its body
  size_t bodies = 256 << 20;                  ///< most bytes of all bodies that are being read or answered
  size_t connections = 512;                   ///< most connections open at once; further ones are closed
  /// Time to receive a request, from its first byte to its last, and to send a part of a response.
  std::chrono::seconds request{30};
  std::chrono::seconds idle{120};  ///< time between requests, after which a connection is closed
};

/// HTTP/1.1 server on one address, with one thread per connection.
class HttpServer {
 public:
  /// Called for each request, on the connection's thread. Responds through `response`, during the call or later, from
  /// any thread.
  using Handler = std::function<void(HttpRequest request, std::shared_ptr<Response> response)>;

  /// Response to a request that is refused before its body is read.
  struct Refused {
    int status;        ///< HTTP status
    std::string json;  ///< body
  };
  /// Decides from a request without its body whether to refuse it; an empty optional accepts it. Called on the
  /// connection's thread.
  using Gate = std::function<std::optional<Refused>(const HttpRequest& request)>;

  /// Binds to the address; port 0 picks a free port. Throws Error if the host is invalid (exit code 2: command line) or
  /// the address can't be bound (exit code 1: other failure).
  HttpServer(const std::string& host, uint16_t port, const HttpLimits& limits = {});
  ~HttpServer();  ///< calls `end`

  /// Starts accepting connections, on a thread of its own. Throws Error (exit code 1) if that fails.
  void start(Gate gate, Handler handler);
  /// Stops accepting, sends the data already passed to responses, closes all connections and waits for their threads.
  /// The gate and the handler are not called afterwards.
  void end();

  std::string url() const;  ///< "http://127.0.0.1:8000"
  /// True if the server is bound to a loopback address, so that only this machine can connect.
  bool loopback() const;

 private:
  struct State;  // listening socket and open connections
  std::unique_ptr<State> state_;
  std::thread thread_;  // accepts connections
};

}  // namespace compeer::serve
