// What a client sends to `compeer serve`: bytes on a connection, to a server that answers by what it read.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "input.h"
#include "serve/http.h"

namespace {

using namespace compeer;

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

  // The server reads to the end, for nothing follows, and then closes.
  void send(std::string_view bytes) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    const timeval patience{8, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    // Ports of one address would run out: each waits a minute after its connection.
    sockaddr_in own = address;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (++count_ & 0xffff));
    own.sin_port = 0;
    fuzz::expect(::bind(fd, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0);
    fuzz::expect(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    (void)!::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(fd, SHUT_WR);
    char answer[4096];
    ssize_t got = 1;
    while (got > 0 || (got < 0 && errno == EINTR))
      got = ::recv(fd, answer, sizeof answer, 0);   // the fuzzer has a clock
    fuzz::expect(got == 0 || errno == ECONNRESET);  // closed, not out of patience
    ::close(fd);
  }

 private:
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
