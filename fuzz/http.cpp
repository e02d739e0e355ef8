// Input: the bytes that a client sends over a connection to the HTTP server of `compeer serve`. The server echoes them.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>

#include "input.h"
#include "serve/http.h"

namespace {

using namespace compeer;

// An HTTP server and its client.
class Echo {
 public:
  Echo() {
    server_.start([](const serve::HttpRequest&) { return std::nullopt; },
                  [](serve::HttpRequest request, std::shared_ptr<serve::Response> response) {
                    fuzz::expect(request.body.size() <= limits().body);
                    if (request.path.size() % 2 == 0) return response->send(200, request.body);
                    response->event(request.method);
                    response->end();
                  });
    const auto url = server_.url();
    port_ = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }

  // Sends the bytes, ends the sending side, and expects the server to close the connection.
  void send(std::string_view bytes) {
    const int fd = connected();
    (void)!::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(fd, SHUT_WR);
    char answer[4096];
    ssize_t got = 1;
    while (got > 0 || (got < 0 && errno == EINTR))
      got = ::recv(fd, answer, sizeof answer, 0);   // the fuzzer's timer interrupts
    fuzz::expect(got == 0 || errno == ECONNRESET);  // closed by the server, not timed out
    ::close(fd);
  }

 private:
  // Connects to the server. Tries again, because the fuzzer's timer interrupts. Each attempt binds to another loopback
  // address: ports of closed connections are blocked for a minute.
  int connected() {
    int trouble = 0;
    for (int tries = 0; tries < 1000; ++tries) {
      const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const timeval patience{8, 0};
      ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      const sockaddr_in own = address(++count_ & 0xffff, 0), server = address(0, port_);
      if (::bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0 &&
          ::connect(fd, reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0)
        return fd;
      trouble = errno;
      ::close(fd);
    }
    std::fprintf(stderr, "not connected: %s\n", std::strerror(trouble));
    fuzz::expect(false);
    return -1;
  }
  static sockaddr_in address(uint32_t offset, uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + offset);
    address.sin_port = htons(port);
    return address;
  }
  static serve::HttpLimits limits() { return {.header = 2000, .body = 2000}; }

  serve::HttpServer server_{"127.0.0.1", uint16_t{0}, limits()};
  uint16_t port_ = 0;
  uint32_t count_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Echo echo;
  echo.send(fuzz::text_of(data, size));
  return 0;
}
