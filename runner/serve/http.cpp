// One thread accepts connections, and each connection has a thread, which reads requests and writes what their
// responses are given. They are few: who asks a model waits for its answer.
#include "serve/http.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>

#include "base/error.h"

namespace compeer::serve {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr size_t read_ahead = 64 << 10;

error_code system_error(int number) { return {number, boost::system::system_category()}; }

// A connection as Beast reads and writes it: no wait beyond a deadline.
class Wire {
 public:
  explicit Wire(int fd) : fd_(fd) {}
  ~Wire() { ::close(fd_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  void expires_after(std::chrono::seconds time) { deadline_ = Clock::now() + time; }
  // Bytes that may be read from now on.
  void allow(size_t bytes) { allowed_ = bytes; }

  template <class Buffers>
  size_t read_some(const Buffers& buffers, error_code& code) {
    for (const asio::mutable_buffer buffer : beast::buffers_range_ref(buffers)) {
      if (buffer.size() == 0) continue;
      if (allowed_ == 0) {
        code = http::error::buffer_overflow;
        return 0;
      }
      const auto got = moved(
          POLLIN, code, [&] { return ::recv(fd_, buffer.data(), std::min(buffer.size(), allowed_), MSG_DONTWAIT); });
      if (got == 0 && !code) code = asio::error::eof;
      allowed_ -= got;
      return got;
    }
    return 0;
  }
  template <class Buffers>
  size_t write_some(const Buffers& buffers, error_code& code) {
    for (const asio::const_buffer buffer : beast::buffers_range_ref(buffers)) {
      if (buffer.size() == 0) continue;
      return moved(POLLOUT, code,
                   [&] { return ::send(fd_, buffer.data(), buffer.size(), MSG_NOSIGNAL | MSG_DONTWAIT); });
    }
    return 0;
  }

  // Beast asks for these, too, and calls none.
  template <class Buffers>
  size_t read_some(const Buffers& buffers) {
    return throwing([&](error_code& code) { return read_some(buffers, code); });
  }
  template <class Buffers>
  size_t write_some(const Buffers& buffers) {
    return throwing([&](error_code& code) { return write_some(buffers, code); });
  }

  // The other side has closed.
  bool closed() const {
    pollfd one{fd_, POLLRDHUP, 0};
    return ::poll(&one, 1, 0) > 0;
  }
  // Something has come, or the other side has closed.
  bool waited(std::chrono::seconds longest) const {
    pollfd one{fd_, POLLIN, 0};
    return ::poll(&one, 1, static_cast<int>(std::chrono::milliseconds(longest).count())) > 0;
  }
  // Whoever waits here goes on, and finds the connection closed.
  void shut() const { ::shutdown(fd_, SHUT_RDWR); }
  // What the other side still sends is taken for a moment: closing would cut off an answer that it has not read.
  void linger() {
    ::shutdown(fd_, SHUT_WR);
    expires_after(std::chrono::seconds(1));
    char bytes[4096];
    error_code code;
    while (!code && moved(POLLIN, code, [&] { return ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT); }) > 0) {
    }
  }

 private:
  template <class Work>
  static size_t throwing(const Work& work) {
    error_code code;
    const auto count = work(code);
    if (code) throw boost::system::system_error(code);
    return count;
  }
  template <class Move>
  size_t moved(short direction, error_code& code, const Move& move) {
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
      pollfd one{fd_, direction, 0};
      const int ready = left <= 0 ? 0 : ::poll(&one, 1, static_cast<int>(left));
      if (ready < 0 && errno == EINTR) continue;
      const auto count = ready > 0 ? move() : ssize_t{-1};
      if (ready > 0 && count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      code = count >= 0 ? error_code() : system_error(ready == 0 ? ETIMEDOUT : errno);
      return count >= 0 ? static_cast<size_t>(count) : 0;
    }
  }

  const int fd_;
  Clock::time_point deadline_;
  size_t allowed_ = 0;
};

// What a response was given and the connection hasn't sent.
struct Given {
  bool whole = false, ended = false;
  int status = 200;
  std::string text;
  std::optional<int> retry_after;
};

class Pending : public Response {
 public:
  void send(int status, std::string json, std::optional<int> retry_after) override {
    give([&](Given& given) { given = {true, true, status, std::move(json), retry_after}; });
  }
  void event(const std::string& data) override {
    give([&](Given& given) { given.text += "data: " + data + "\n\n"; });
  }
  void end() override {
    give([](Given& given) { given.ended = true; });
  }
  bool gone() const override {
    const std::lock_guard lock(mutex_);
    return gone_;
  }

  // For the connection. Waits for a second at most.
  Given take() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(1), [this] { return hurry_ || given_.ended || !given_.text.empty(); });
    Given taken = given_;
    given_.text.clear();
    return taken;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
  }
  // `take` waits no more.
  void hurry() {
    const std::lock_guard lock(mutex_);
    hurry_ = true;
    changed_.notify_one();
  }

 private:
  template <class Change>
  void give(const Change& change) {
    const std::lock_guard lock(mutex_);
    if (!gone_) change(given_);
    changed_.notify_one();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Given given_;
  bool gone_ = false, hurry_ = false;
};

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

HttpRequest request_of(const http::request<http::string_body>& message) {
  const auto target = text_of(message.target());
  return {text_of(message.method_string()),
          target.substr(0, target.find('?')),
          text_of(message[http::field::content_type]),
          text_of(message[http::field::authorization]),
          text_of(message[http::field::origin]),
          message.body()};
}

// Bytes of bodies that are being read or answered, of all connections.
class BodyMemory {
 public:
  explicit BodyMemory(size_t most) : most_(most) {}

  bool take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > most_ - held_) return false;
    held_ += bytes;
    return true;
  }
  void give_back(size_t bytes) {
    const std::lock_guard lock(mutex_);
    held_ -= bytes;
  }

 private:
  const size_t most_;
  std::mutex mutex_;
  size_t held_ = 0;
};

// What all connections of a server share.
struct Shared {
  HttpLimits limits;
  HttpServer::Gate gate;
  HttpServer::Handler handler;
  BodyMemory bodies;
};

// One connection: requests and answers by turns.
class Connection {
 public:
  Connection(int fd, Shared& shared) : shared_(shared), wire_(fd), thread_([this] { serve(); }) {}
  ~Connection() { thread_.join(); }

  bool over() const {
    const std::lock_guard lock(mutex_);
    return over_;
  }
  // What was given is still sent; no other request is read.
  void finish() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (pending_) {
      pending_->hurry();
    } else {
      wire_.shut();
    }
  }

 private:
  using Parser = http::request_parser<http::string_body>;

  void serve() {
    try {
      // What is read at once: a header, and whatever comes with it.
      beast::flat_buffer buffer(shared_.limits.header + read_ahead);
      while (one(buffer)) {
      }
    } catch (const std::exception&) {  // no memory for what it sends
    }
    wire_.linger();
    const std::lock_guard lock(mutex_);
    over_ = true;
  }

  // A request and its answer. False: there will be no other.
  bool one(beast::flat_buffer& buffer) {
    const auto& limits = shared_.limits;
    if (buffer.size() == 0 && !wire_.waited(limits.idle)) return false;
    wire_.expires_after(limits.request);
    Parser parser;
    parser.header_limit(static_cast<uint32_t>(limits.header));
    parser.body_limit(limits.body);
    error_code code;
    wire_.allow(limits.header + read_ahead);
    http::read_header(wire_, buffer, parser, code);
    if (code) return complain(code);
    if (const auto refused = shared_.gate(request_of(parser.get())))
      return write_whole({true, true, refused->status, refused->json, {}}, parser.get(), false);
    const size_t size = parser.content_length() ? *parser.content_length() : parser.chunked() ? limits.body : 0;
    if (!shared_.bodies.take(size))
      return write_whole({true, true, 503, problem("too many large requests at once"), 1}, parser.get(), false);
    const std::shared_ptr<void> taken(nullptr, [&](void*) { shared_.bodies.give_back(size); });
    wire_.allow(2 * limits.body + read_ahead);  // chunks have headers of their own
    read_body(buffer, parser, code);
    return code ? complain(code) : answer(parser.get());
  }

  void read_body(beast::flat_buffer& buffer, Parser& parser, error_code& code) {
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      const http::response<http::empty_body> go(http::status::continue_, 11);
      http::write(wire_, go, code);
      if (code) return;
    }
    http::read(wire_, buffer, parser, code);
  }

  static std::string problem(const std::string& what) {
    return R"({"error":{"message":")" + what + R"(","type":"invalid_request_error","param":null,"code":null}})";
  }

  // Of what can't be read. Who has gone, or never ends, gets no answer.
  bool complain(const error_code& code) {
    std::string what = "this is no HTTP";
    int status = 400;
    if (code == http::error::body_limit || code == http::error::buffer_overflow) {
      status = 413;
      what = "the request is longer than " + std::to_string(shared_.limits.body >> 20) + " MiB";
    } else if (code == http::error::header_limit) {
      status = 431;
      what = "the headers are longer than " + std::to_string(shared_.limits.header >> 10) + " KiB";
    } else if (code == http::error::end_of_stream || code == http::error::partial_message ||
               code.category() == boost::system::system_category()) {
      return false;
    }
    const http::request<http::string_body> unknown(http::verb::get, "/", 11);
    return write_whole({true, true, status, problem(what), {}}, unknown, false);
  }

  bool answer(const http::request<http::string_body>& message) {
    const auto pending = std::make_shared<Pending>();
    if (!begin(pending)) return false;
    shared_.handler(request_of(message), pending);
    const bool more = deliver(*pending, message);
    pending->leave();
    return begin(nullptr) && more;
  }
  bool begin(std::shared_ptr<Pending> pending) {
    const std::lock_guard lock(mutex_);
    pending_ = std::move(pending);
    return !stopping_;
  }
  bool stopping() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
  }

  bool deliver(Pending& pending, const http::request<http::string_body>& message) {
    const unsigned version = message.version();
    const bool keep = message.keep_alive();
    for (bool begun = false;;) {
      const Given given = pending.take();
      if (given.whole) return write_whole(given, message, keep);
      if (!given.text.empty()) {
        if (!write_events(given.text, version, keep, !begun)) return false;
        begun = true;
      }
      if (given.ended) return write_end(version, keep);
      if (given.text.empty() && (stopping() || wire_.closed())) return false;
    }
  }

  template <class Message>
  static void describe(Message& message, const char* type, bool keep) {
    message.set(http::field::content_type, type);
    message.set(http::field::cache_control, "no-store");
    message.keep_alive(keep);
  }

  // Whether the connection can be used again. An answer to HEAD has no body.
  bool write_whole(const Given& given, const http::request<http::string_body>& asked, bool keep) {
    http::response<http::string_body> message(static_cast<http::status>(given.status), asked.version());
    describe(message, "application/json", keep);
    if (given.retry_after) message.set(http::field::retry_after, std::to_string(*given.retry_after));
    if (given.status == 401) message.set(http::field::www_authenticate, "Bearer");
    message.body() = given.text;
    message.prepare_payload();
    error_code code;
    wire_.expires_after(shared_.limits.request);
    http::response_serializer<http::string_body> serializer(message);
    if (asked.method() == http::verb::head) {
      http::write_header(wire_, serializer, code);
    } else {
      http::write(wire_, serializer, code);
    }
    return !code && keep;
  }

  // A client of HTTP/1.0 knows no chunks: its stream ends with the connection.
  bool write_events(const std::string& text, unsigned version, bool keep, bool first) {
    error_code code;
    wire_.expires_after(shared_.limits.request);
    if (first) {
      http::response<http::empty_body> message(http::status::ok, version);
      describe(message, "text/event-stream", keep && version >= 11);
      message.chunked(version >= 11);
      http::response_serializer<http::empty_body> serializer(message);
      http::write_header(wire_, serializer, code);
      if (code) return false;
    }
    if (version >= 11) {
      asio::write(wire_, http::make_chunk(asio::buffer(text)), code);
    } else {
      asio::write(wire_, asio::buffer(text), code);
    }
    return !code;
  }

  bool write_end(unsigned version, bool keep) {
    if (version < 11) return false;
    error_code code;
    wire_.expires_after(shared_.limits.request);
    asio::write(wire_, http::make_chunk_last(), code);
    return !code && keep;
  }

  Shared& shared_;
  Wire wire_;
  mutable std::mutex mutex_;  // of what follows
  std::shared_ptr<Pending> pending_;
  bool stopping_ = false, over_ = false;
  std::thread thread_;
};

struct Addresses {
  Addresses(const std::string& host, uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    if (const int trouble = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first); trouble != 0)
      throw Error("--host", "'" + host + "' is no address: " + ::gai_strerror(trouble), "", Exit::usage);
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

}  // namespace

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
        ::poll(nullptr, 0, 100);  // no file left, no memory: until connections that are open end
      }
    }
    for (auto& connection : connections) connection.finish();
    connections.clear();
  }
  // Closes it if there is no thread for it.
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

  Shared shared;
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
    throw Error(host + ":" + std::to_string(port), std::string("can't be listened on: ") + std::strerror(errno),
                "--port 0 takes any port that is free", Exit::failure);
  }
}

HttpServer::~HttpServer() { end(); }

void HttpServer::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  ::shutdown(state_->listener, SHUT_RDWR);  // wakes who accepts
  thread_.join();
}

void HttpServer::start(Gate gate, Handler handler) {
  state_->shared.gate = std::move(gate);
  state_->shared.handler = std::move(handler);
  if (::listen(state_->listener, 128) != 0)
    throw Error(url(), std::string("can't be listened on: ") + std::strerror(errno), "", Exit::failure);
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
