// HTTP over one socket with Boost.Beast, blocking: reads a request, passes it to the handler and writes the response as
// other threads supply it.
#include "serve/connection.h"

#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <utility>

#include "serve/timed_socket.h"

namespace compeer::serve {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

constexpr size_t read_ahead = 64 << 10;

// The part of a response that was supplied and not sent yet.
struct ResponseData {
  bool whole = false, ended = false;
  int status = 200;
  std::string text;
  std::optional<int> retry_after;
};

class PendingResponse : public Response {
 public:
  void send(int status, std::string json, std::optional<int> retry_after) override {
    give([&](ResponseData& given) { given = {true, true, status, std::move(json), retry_after}; });
  }
  void event(const std::string& data) override {
    give([&](ResponseData& given) { given.text += "data: " + data + "\n\n"; });
  }
  void end() override {
    give([](ResponseData& given) { given.ended = true; });
  }
  bool gone() const override {
    const std::lock_guard lock(mutex_);
    return gone_;
  }

  // Called by the connection: returns the data to send. Waits up to a second for some.
  ResponseData take() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(1), [this] { return hurry_ || given_.ended || !given_.text.empty(); });
    return {given_.whole, given_.ended, given_.status, std::exchange(given_.text, {}), given_.retry_after};
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
  }
  // From now on `take` does not wait.
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
  ResponseData given_;
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
          text_of(message[http::field::host]),
          message.body()};
}

}  // namespace

class Connection::HttpSession {
 public:
  HttpSession(int fd, SharedByConnections& shared) : shared_(shared), wire_(fd), thread_([this] { serve(); }) {}
  ~HttpSession() { thread_.join(); }

  bool over() const {
    const std::lock_guard lock(mutex_);
    return over_;
  }
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
      // Large enough for a header and data that arrives with it.
      beast::flat_buffer buffer(shared_.limits.header + read_ahead);
      while (one(buffer)) {
      }
    } catch (const std::exception&) {  // out of memory
    }
    wire_.linger();
    const std::lock_guard lock(mutex_);
    over_ = true;
  }

  // Serves one request. Returns false if the connection must be closed.
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
    if (!known_encoding(parser.get()))
      return write_whole({true, true, 501, problem("the only supported Transfer-Encoding is chunked"), {}},
                         parser.get(), false);
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

  // The end of a body in an unknown encoding could not be found.
  static bool known_encoding(const http::request<http::string_body>& message) {
    const auto [first, end] = message.equal_range(http::field::transfer_encoding);
    return first == end || (beast::iequals(first->value(), "chunked") && std::next(first) == end);
  }

  static std::string problem(const std::string& what) {
    return R"({"error":{"message":")" + what + R"(","type":"invalid_request_error","param":null,"code":null}})";
  }

  // Answers a request that can't be read. A client that disconnected or timed out gets no answer.
  bool complain(const error_code& code) {
    std::string what = "this is not HTTP";
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
    const auto pending = std::make_shared<PendingResponse>();
    if (!begin(pending)) return false;
    const std::shared_ptr<void> left(nullptr, [&](void*) { pending->leave(); });  // on every exit
    shared_.handler(request_of(message), pending);
    const bool more = deliver(*pending, message);
    return begin(nullptr) && more;
  }
  bool begin(std::shared_ptr<PendingResponse> pending) {
    const std::lock_guard lock(mutex_);
    pending_ = std::move(pending);
    return !stopping_;
  }
  bool stopping() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
  }

  bool deliver(PendingResponse& pending, const http::request<http::string_body>& message) {
    const unsigned version = message.version();
    const bool keep = message.keep_alive();
    for (bool begun = false;;) {
      const ResponseData given = pending.take();
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

  // Returns true if the connection can be used again. A response to HEAD has no body.
  bool write_whole(const ResponseData& given, const http::request<http::string_body>& asked, bool keep) {
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

  // HTTP/1.0 has no chunked encoding: the stream ends when the connection is closed.
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

  SharedByConnections& shared_;
  TimedSocket wire_;
  mutable std::mutex mutex_;  // guards the members below
  std::shared_ptr<PendingResponse> pending_;
  bool stopping_ = false, over_ = false;
  std::thread thread_;
};

Connection::Connection(int fd, SharedByConnections& shared) : talk_(std::make_unique<HttpSession>(fd, shared)) {}

Connection::~Connection() = default;

bool Connection::over() const { return talk_->over(); }

void Connection::finish() { talk_->finish(); }

}  // namespace compeer::serve
