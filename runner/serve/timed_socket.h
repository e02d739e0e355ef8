#pragma once
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/error.hpp>
#include <cerrno>
#include <chrono>

namespace compeer::serve {

/// A connected socket as a stream for Boost.Beast (SyncReadStream, SyncWriteStream), with a deadline for each operation
/// and a limit on the bytes read. Owns the socket and closes it.
class TimedSocket {
 public:
  using Code = boost::system::error_code;
  explicit TimedSocket(int fd) : fd_(fd) {}
  ~TimedSocket() { ::close(fd_); }
  TimedSocket(const TimedSocket&) = delete;
  TimedSocket& operator=(const TimedSocket&) = delete;

  // Sets the deadline. Later operations fail with ETIMEDOUT.
  void expires_after(std::chrono::seconds time) { deadline_ = std::chrono::steady_clock::now() + time; }
  // Sets the number of bytes that may still be read. Beyond it, reads fail with buffer_overflow.
  void allow(size_t bytes) { allowed_ = bytes; }

  // Read or write into or from the first non-empty buffer, at most once. Return the number of bytes; on failure 0 with
  // `code` set.
  template <class Buffers>
  size_t read_some(const Buffers& buffers, Code& code) {
    for (const boost::asio::mutable_buffer buffer : boost::beast::buffers_range_ref(buffers)) {
      if (buffer.size() == 0) continue;
      if (allowed_ == 0) {
        code = boost::beast::http::error::buffer_overflow;
        return 0;
      }
      const auto got = moved(
          POLLIN, code, [&] { return ::recv(fd_, buffer.data(), std::min(buffer.size(), allowed_), MSG_DONTWAIT); });
      if (got == 0 && !code) code = boost::asio::error::eof;
      allowed_ -= got;
      return got;
    }
    return 0;
  }
  template <class Buffers>
  size_t write_some(const Buffers& buffers, Code& code) {
    for (const boost::asio::const_buffer buffer : boost::beast::buffers_range_ref(buffers)) {
      if (buffer.size() == 0) continue;
      return moved(POLLOUT, code,
                   [&] { return ::send(fd_, buffer.data(), buffer.size(), MSG_NOSIGNAL | MSG_DONTWAIT); });
    }
    return 0;
  }

  // Beast's concepts require these overloads; it calls none of them.
  template <class Buffers>
  size_t read_some(const Buffers& buffers) {
    return throwing([&](Code& code) { return read_some(buffers, code); });
  }
  template <class Buffers>
  size_t write_some(const Buffers& buffers) {
    return throwing([&](Code& code) { return write_some(buffers, code); });
  }

  // True if the peer has closed the connection.
  bool closed() const {
    pollfd one{fd_, POLLRDHUP, 0};
    return ::poll(&one, 1, 0) > 0;
  }
  // Waits up to `longest`; true if data has arrived or the peer has closed the connection.
  bool waited(std::chrono::seconds longest) const {
    pollfd one{fd_, POLLIN, 0};
    return ::poll(&one, 1, static_cast<int>(std::chrono::milliseconds(longest).count())) > 0;
  }
  // Wakes a thread that waits in another function, which then finds the connection closed.
  void shut() const { ::shutdown(fd_, SHUT_RDWR); }
  // Ends writing and discards incoming data for up to a second: closing with unread data resets the connection, and the
  // peer would lose a response that it has not read yet.
  void linger() {
    ::shutdown(fd_, SHUT_WR);
    expires_after(std::chrono::seconds(1));
    char bytes[4096];
    Code code;
    while (!code && moved(POLLIN, code, [&] { return ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT); }) > 0) {
    }
  }

 private:
  // Calls work(code) and throws boost::system::system_error if it sets the code.
  template <class Work>
  static size_t throwing(const Work& work) {
    Code code;
    const auto count = work(code);
    if (code) throw boost::system::system_error(code);
    return count;
  }
  // Waits until the socket is ready for `direction` (POLLIN or POLLOUT) or the deadline has passed, then calls `move`,
  // a recv or send. Returns its result; on failure 0 with `code` set.
  template <class Move>
  size_t moved(short direction, Code& code, const Move& move) {
    for (;;) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now()).count();
      pollfd one{fd_, direction, 0};
      const int ready = left <= 0 ? 0 : ::poll(&one, 1, static_cast<int>(left));
      if (ready < 0 && errno == EINTR) continue;
      const auto count = ready > 0 ? move() : ssize_t{-1};
      if (ready > 0 && count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      code = count >= 0 ? Code() : Code(ready == 0 ? ETIMEDOUT : errno, boost::system::system_category());
      return count >= 0 ? static_cast<size_t>(count) : 0;
    }
  }

  const int fd_;  // the socket
  std::chrono::steady_clock::time_point deadline_;
  size_t allowed_ = 0;  // bytes that may still be read
};

}  // namespace compeer::serve
