// One thread accepts connections, and each connection has a thread. That suffices: clients of a language model are few
// and wait for their answers.
#include "serve/http.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>

#include "base/error.h"
#include "serve/connection.h"

namespace compeer::serve {

namespace {

struct Addresses {
  Addresses(const std::string& host, uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    if (const int trouble = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first); trouble != 0)
      throw Error("--host", "'" + host + "' is not a valid address: " + ::gai_strerror(trouble), "", Exit::usage);
  }
  ~Addresses() { ::freeaddrinfo(first); }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  addrinfo* first = nullptr;
};

struct Bound {
  sockaddr_storage address{};
  char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";

  explicit Bound(int socket) {
    socklen_t length = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
    ::getnameinfo(reinterpret_cast<sockaddr*>(&address), length, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV);
  }
};

// Returns "localhost" for "LocalHost.:8000", "::1" for "[::1]:8000".
std::string host_without_port(const std::string& header) {
  std::string host =
      header.starts_with('[') ? header.substr(1, header.find(']') - 1) : header.substr(0, header.find(':'));
  if (host.ends_with('.')) host.pop_back();
  std::transform(host.begin(), host.end(), host.begin(), [](unsigned char c) { return std::tolower(c); });
  return host;
}

}  // namespace

bool is_local_host(const std::string& host, const std::string& name) {
  const auto asked = host_without_port(host);
  const auto own = host_without_port(std::count(name.begin(), name.end(), ':') > 1 ? "[" + name + "]" : name);
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, asked.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127 || asked == own;
  if (::inet_pton(AF_INET6, asked.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six) || asked == own;
  return asked == "localhost" || (asked == own && !own.empty());
}

struct HttpServer::State {
  explicit State(const HttpLimits& limits) : shared{limits, nullptr, nullptr, BodyMemory(limits.bodies)} {}
  ~State() {
    if (listener >= 0) ::close(listener);
  }

  void accept() {
    for (;;) {
      const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      const int trouble = errno;
      connections.remove_if([](const Connection& one) { return one.over(); });
      if (stopping()) {
        if (fd >= 0) ::close(fd);
        break;
      }
      if (fd >= 0 && connections.size() < shared.limits.connections) {
        const int yes = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        open(fd);
      } else if (fd >= 0) {
        ::close(fd);
      } else if (trouble != EINTR && trouble != ECONNABORTED) {
        ::poll(nullptr, 0, 100);  // out of files or memory: waits for open connections to end
      }
    }
    for (auto& connection : connections) connection.finish();
    connections.clear();
  }
  // Closes the socket if no thread can be started.
  void open(int fd) {
    try {
      connections.emplace_back(fd, shared);
    } catch (const std::exception&) {
    }
  }
  bool stopping() const {
    const std::lock_guard lock(mutex);
    return stop;
  }

  SharedByConnections shared;
  int listener = -1;
  std::list<Connection> connections;
  mutable std::mutex mutex;
  bool stop = false;
};

HttpServer::HttpServer(const std::string& host, uint16_t port, const HttpLimits& limits)
    : state_(std::make_unique<State>(limits)) {
  const Addresses addresses(host, port);
  const auto* place = addresses.first;
  state_->listener = ::socket(place->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(state_->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (state_->listener < 0 || ::bind(state_->listener, place->ai_addr, place->ai_addrlen) != 0) {
    throw Error(host + ":" + std::to_string(port), std::string("can't listen on this address: ") + std::strerror(errno),
                "use --port 0 for any free port", Exit::failure);
  }
}

HttpServer::~HttpServer() { end(); }

void HttpServer::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  ::shutdown(state_->listener, SHUT_RDWR);  // wakes accept4
  thread_.join();
}

void HttpServer::start(Gate gate, Handler handler) {
  state_->shared.gate = std::move(gate);
  state_->shared.handler = std::move(handler);
  if (::listen(state_->listener, 128) != 0)
    throw Error(url(), std::string("can't listen on this address: ") + std::strerror(errno), "", Exit::failure);
  thread_ = std::thread([this] { state_->accept(); });
}

std::string HttpServer::url() const {
  const Bound bound(state_->listener);
  const std::string host = bound.host;
  return "http://" + (bound.address.ss_family == AF_INET6 ? "[" + host + "]" : host) + ":" + bound.port;
}

bool HttpServer::loopback() const {
  const std::string host = Bound(state_->listener).host;
  return host.starts_with("127.") || host == "::1";
}

}  // namespace compeer::serve
