#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace compeer::serve {

/// A TCP client that sends arbitrary bytes.
class RawClient {
 public:
  /// Connects to a port of this machine.
  explicit RawClient(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { ::close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// True if the connection was accepted.
  bool connected() const { return connected_; }
  void send(const std::string& bytes) const { (void)!::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

  /// Receives until the bytes since `forget` contain `wanted`, the server closes, or twenty seconds pass without any.
  /// Returns these bytes.
  std::string until(const std::string& wanted) {
    while (got_.find(wanted) == std::string::npos && more()) {
    }
    return got_;
  }
  /// Returns everything up to the end of the connection. If the server doesn't close it within twenty seconds, the text
  /// says so.
  std::string all() {
    while (more()) {
    }
    return got_ + (closed_ ? "" : " [and the connection stays open]");
  }
  /// Forgets the bytes received so far.
  void forget() { got_.clear(); }

 private:
  // Receives more bytes; false at the end of the connection or after twenty seconds.
  bool more() {
    pollfd one{fd_, POLLIN, 0};
    if (::poll(&one, 1, 20'000) <= 0) return false;
    char bytes[4096];
    const auto count = ::recv(fd_, bytes, sizeof bytes, 0);
    closed_ = count <= 0;
    if (closed_) return false;
    got_.append(bytes, static_cast<size_t>(count));
    return true;
  }

  int fd_;                                   // the socket
  bool connected_ = false, closed_ = false;  // accepted; closed by the server
  std::string got_;                          // bytes received since `forget`
};

/// Returns the text of an HTTP request. `headers`: additional lines, each with its line end.
inline std::string post(const std::string& path, const std::string& body, const std::string& headers = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
inline std::string get(const std::string& path, const std::string& headers = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}

}  // namespace compeer::serve
