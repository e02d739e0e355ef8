#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace compeer::serve {

/// A complete request.
struct HttpRequest {
  std::string method, path;                               ///< "POST", "/v1/models", without the query string
  std::string content_type, authorization, origin, host;  ///< headers; empty if absent
  std::string body;
};

/// True if the Host header `host` ("localhost:8000", "[::1]") names this machine: localhost, a loopback address, or
/// `name`, the host that the server listens on. Protects against DNS rebinding: a web page whose domain resolves to
/// this machine sends its own name.
bool is_local_host(const std::string& host, const std::string& name);

/// The response to one request: either one `send`, or any number of `event` calls and one `end`. Thread-safe. Data for
/// a client that has disconnected is discarded.
class Response {
 public:
  virtual ~Response() = default;

  /// Sends a complete JSON response. `retry_after`: seconds, for the header Retry-After.
  virtual void send(int status, std::string json, std::optional<int> retry_after = {}) = 0;

  /// Sends one server-sent event, "data: ...", with status 200.
  virtual void event(const std::string& data) = 0;
  /// Ends the stream of events.
  virtual void end() = 0;

  /// True if the client has disconnected, or the response is complete.
  virtual bool gone() const = 0;
};

/// Limits on the memory and time that clients may take.
struct HttpLimits {
  size_t header = 16 << 10, body = 32 << 20;  ///< bytes of a request
  size_t bodies = 256 << 20;                  ///< bytes of all bodies that are being read or answered
  size_t connections = 512;                   ///< open at once; further ones are closed
  std::chrono::seconds request{
      30};  ///< to receive a request, from its first byte to its last; to send a part of a response
  std::chrono::seconds idle{120};  ///< between requests of a connection
};

/// HTTP/1.1 server on one address, with one thread per connection.
class HttpServer {
 public:
  /// Called for each request, on the connection's thread. Responds through `response`, during the call or later, from
  /// any thread.
  using Handler = std::function<void(HttpRequest request, std::shared_ptr<Response> response)>;

  /// Response to a request that is refused before its body is read.
  struct Refused {
    int status;
    std::string json;
  };
  /// Decides from a request without its body whether to refuse it. Called on the connection's thread.
  using Gate = std::function<std::optional<Refused>(const HttpRequest& request)>;

  /// Binds to the address; port 0 picks a free port. Throws Error if the host is invalid (exit 2) or the address can't
  /// be bound (exit 1).
  HttpServer(const std::string& host, uint16_t port, const HttpLimits& limits = {});
  ~HttpServer();  ///< calls `end`

  /// Starts accepting connections. Throws Error (exit 1) if that fails.
  void start(Gate gate, Handler handler);
  /// Stops accepting, sends the data already passed to responses, closes all connections and waits for their threads.
  /// The gate and the handler are not called afterwards.
  void end();

  std::string url() const;  ///< "http://127.0.0.1:8000"
  /// True if the server is bound to a loopback address, so that only this machine can connect.
  bool loopback() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::thread thread_;
};

}  // namespace compeer::serve
