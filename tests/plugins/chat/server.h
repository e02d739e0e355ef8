#pragma once
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace compeer::server {

/// The server's reaction to one request.
struct Act {
  std::vector<std::string> pieces;  ///< bytes to send, with `pause` between them; the first has status and headers
  int pause = 0;                    ///< in milliseconds
  bool hang = false;                ///< after the pieces, keeps the connection open until the client disconnects
  bool endless = false;             ///< repeats the last piece until the client disconnects
  bool keep = false;                ///< after the pieces, serves the next request on the same connection
};

/// One connection, possibly wrapped (TLS). Closes it when destroyed.
class Wire {
 public:
  explicit Wire(int socket) : fd(socket) {}
  virtual ~Wire() { ::close(fd); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ssize_t receive(char* data, size_t size) { return ::recv(fd, data, size, 0); }
  virtual ssize_t send(const char* data, size_t size) { return ::send(fd, data, size, MSG_NOSIGNAL); }
  /// True if it has received bytes that `receive` has not returned yet.
  virtual bool holds() { return false; }
  const int fd;  ///< the socket
};

/// A request as received.
struct Seen {
  std::string head, body;  ///< request line and headers; content
  size_t number = 0;       ///< index of the request, from 0
};

/// Returns the bytes of a whole HTTP response. Without `with_length` it ends with the connection.
inline std::string response(int status, const std::string& body, const std::string& headers = "",
                            bool with_length = true) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\nConnection: close\r\n" +
         headers + (with_length ? "Content-Length: " + std::to_string(body.size()) + "\r\n" : "") + "\r\n" + body;
}

/// Returns the JSON body of a chat model's answer. `reason`: why it ended; `in`, `out`: tokens of prompt and answer.
inline std::string answer_body(const std::string& text, const std::string& reason = "stop", int64_t in = 10,
                               int64_t out = 3) {
  return nlohmann::json{
      {"choices", {{{"index", 0}, {"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", reason}}}},
      {"usage", {{"prompt_tokens", in}, {"completion_tokens", out}}}}
      .dump();
}

/// Return the reactions that send these bytes, an answer with this text, or an error.
inline Act send(const std::string& bytes) { return {.pieces = {bytes}}; }
inline Act answer(const std::string& text) { return send(response(200, answer_body(text))); }
inline Act fail(int status, const std::string& message, const std::string& headers = "") {
  return send(response(status, nlohmann::json{{"error", {{"message", message}}}}.dump(), headers));
}

/// Returns the reaction that sends an answer and keeps the connection open.
inline Act answer_and_stay(const std::string& text) {
  const auto body = answer_body(text);
  return {.pieces = {"HTTP/1.1 200 X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body},
          .keep = true};
}

/// Returns the text of the last turn of a request.
inline std::string asked(const Seen& seen) {
  return nlohmann::json::parse(seen.body).at("messages").back().at("content").get<std::string>();
}

/// An HTTP server on a free local port that plays the endpoint of a chat model. It has one thread for each connection,
/// and serves one request on it unless the reaction keeps the connection open.
class Server {
 public:
  /// Returns the reaction to a request.
  using Play = std::function<Act(const Seen&)>;
  /// Wraps a connection; null if that failed.
  using Wrap = std::function<std::unique_ptr<Wire>(int fd)>;

  /// Starts the server. `act` is called by one thread at a time, unless `act_side_by_side` was called.
  explicit Server(Play act, Wrap wrap = std::make_unique<Wire, int>)
      : act_(std::move(act)), wrap_(std::move(wrap)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener_, 256) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      throw std::runtime_error("no port on this machine");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept(); });
  }
  ~Server() {
    stop_ = true;
    acceptor_.join();
    for (auto& one : connections_) one.join();
    ::close(listener_);
  }

  std::string url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + "/v1";
  }
  /// Return the numbers of requests and of connections so far.
  size_t requests() const { return count_; }
  size_t connections() const { return connected_; }
  int most_at_once() const { return most_; }  ///< maximum number of requests open at the same time

  /// To be called by an act: waits until `n` requests are open, at most ten seconds, so that a test fails instead of
  /// hanging.
  void wait_for_open(int n) {
    std::unique_lock lock(open_mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return most_ >= n; });
  }
  /// From now on acts may run concurrently, which `wait_for_open` requires.
  void act_side_by_side() { side_by_side_ = true; }

 private:
  void accept() {
    while (!stop_) {
      pollfd ready{listener_, POLLIN, 0};
      if (::poll(&ready, 1, 5) <= 0) continue;
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      ++connected_;
      connections_.emplace_back([this, fd] { serve(fd); });
    }
  }

  // Serves one connection until it ends.
  void serve(int fd) {
    const auto wire = wrap_(fd);
    Seen seen;
    for (bool on = wire != nullptr; on && read(*wire, seen);) {
      {
        const std::lock_guard lock(open_mutex_);
        most_ = std::max<int>(most_, ++open_);
        changed_.notify_all();
      }
      seen.number = count_++;
      const Act act = decide(seen);
      play(*wire, act);
      on = act.keep;
      const std::lock_guard lock(open_mutex_);
      --open_;
    }
  }

  Act decide(const Seen& seen) {
    if (side_by_side_) return act_(seen);
    const std::lock_guard lock(act_mutex_);
    return act_(seen);
  }

  // Receives one request; false if the connection has ended.
  bool read(Wire& wire, Seen& seen) {
    std::string all;
    size_t head = std::string::npos, length = 0;
    while (head == std::string::npos || all.size() < head + 4 + length) {
      if (!wire.holds() && !readable(wire.fd)) return false;
      char block[65536];
      const ssize_t n = wire.receive(block, sizeof block);
      if (n <= 0) return false;
      all.append(block, static_cast<size_t>(n));
      if (head == std::string::npos && (head = all.find("\r\n\r\n")) != std::string::npos) {
        const auto field = all.find("Content-Length: ");
        length = field < head ? std::stoul(all.substr(field + 16)) : 0;
      }
    }
    seen.head = all.substr(0, head);
    seen.body = all.substr(head + 4);
    return true;
  }

  // Waits until there are bytes to receive; false once the server is to end.
  bool readable(int fd) {
    pollfd ready{fd, POLLIN, 0};
    while (!stop_) {
      if (::poll(&ready, 1, 5) > 0) return true;
    }
    return false;
  }

  // Sends all bytes; false once the client has disconnected.
  static bool push(Wire& wire, const std::string& bytes) {
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t n = wire.send(bytes.data() + done, bytes.size() - done);
      if (n <= 0) return false;
      done += static_cast<size_t>(n);
    }
    return true;
  }

  // Carries out the reaction.
  void play(Wire& wire, const Act& act) {
    bool first = true;
    for (const auto& piece : act.pieces) {
      if (!first && act.pause > 0) std::this_thread::sleep_for(std::chrono::milliseconds(act.pause));
      if (!push(wire, piece) || stop_) return;
      first = false;
    }
    while (act.endless && !stop_ && push(wire, act.pieces.back())) {
    }
    char byte;
    if (act.hang && readable(wire.fd)) (void)wire.receive(&byte, 1);  // the client disconnected
  }

  Play act_;
  Wrap wrap_;
  int listener_;  // the listening socket
  int port_ = 0;
  std::atomic<bool> stop_ = false, side_by_side_ = false;  // the server is to end; `act_` may run concurrently
  std::atomic<size_t> count_ = 0, connected_ = 0;          // requests and connections so far
  std::atomic<int> most_ = 0;                              // maximum of open_
  int open_ = 0;                                           // requests being served, guarded by open_mutex_
  std::mutex act_mutex_, open_mutex_;                      // act_mutex_: held during act_
  std::condition_variable changed_;                        // signals a change of open_
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

}  // namespace compeer::server
