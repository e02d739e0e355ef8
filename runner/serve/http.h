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

/// What a client sent, whole.
struct HttpRequest {
  std::string method, path;  ///< "POST", "/v1/models"; what follows a '?' is left out
  std::string content_type, authorization, origin, host;
  std::string body;
};

/// True if a Host header ("localhost:8000", "[::1]") names this machine: localhost, a loopback address, or `name`, the
/// host that the server was told to listen on. A page of the web whose name was made to lead here names another.
bool names_loopback(const std::string& host, const std::string& name);

/// The way back to a client. Any thread may use it. What is sent to a client that is gone goes nowhere.
class Response {
 public:
  virtual ~Response() = default;

  /// All of it, once. `retry_after`: seconds to wait before another try.
  virtual void send(int status, std::string json, std::optional<int> retry_after = {}) = 0;

  /// Or events of a stream, "data: ..." each, until its end.
  virtual void event(const std::string& data) = 0;
  virtual void end() = 0;

  virtual bool gone() const = 0;
};

/// What a client may ask of the server's memory and patience.
struct HttpLimits {
  size_t header = 16 << 10, body = 32 << 20;  ///< bytes
  size_t bodies = 256 << 20;                  ///< of all requests that are being read or answered
  size_t connections = 512;
  std::chrono::seconds request{
      30};                         ///< from a request's first byte to its last; for a client to take some of an answer
  std::chrono::seconds idle{120};  ///< between requests of a connection
};

/// HTTP/1.1 on one address.
class HttpServer {
 public:
  /// Called by a thread of the connection's; answers by `response`, now or later, from any thread.
  using Handler = std::function<void(HttpRequest request, std::shared_ptr<Response> response)>;

  /// What is answered to a request whose body isn't wanted.
  struct Refused {
    int status;
    std::string json;
  };
  /// Looks at a request before its body is read, and may refuse it.
  using Gate = std::function<std::optional<Refused>(const HttpRequest& request)>;

  /// Takes the address; port 0 is any that is free. Throws Error if it can't be had.
  HttpServer(const std::string& host, uint16_t port, const HttpLimits& limits = {});
  ~HttpServer();  ///< `end`

  /// From now on it listens.
  void start(Gate gate, Handler handler);
  /// It listens no more. What was given to responses is still delivered, and when this returns, nobody is answered.
  void end();

  std::string url() const;  ///< "http://127.0.0.1:8000"
  /// Only this machine can reach it.
  bool loopback() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::thread thread_;
};

}  // namespace compeer::serve
