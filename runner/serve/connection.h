#pragma once
#include <memory>
#include <mutex>
#include <thread>

#include "serve/http.h"

namespace compeer::serve {

/// Limits the total bytes of request bodies that are being read or answered, over all connections. Thread-safe.
class BodyMemory {
 public:
  explicit BodyMemory(size_t most) : most_(most) {}

  /// Reserves `bytes`; returns false, without reserving, if that would exceed the limit.
  bool take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > most_ - held_) return false;
    held_ += bytes;
    return true;
  }
  /// Returns reserved bytes.
  void give_back(size_t bytes) {
    const std::lock_guard lock(mutex_);
    held_ -= bytes;
  }

 private:
  const size_t most_;
  std::mutex mutex_;
  size_t held_ = 0;  // bytes reserved now
};

/// The state that all connections of a server share.
struct SharedByConnections {
  HttpLimits limits;
  HttpServer::Gate gate;        ///< decides whether to refuse a request before its body is read
  HttpServer::Handler handler;  ///< answers accepted requests
  BodyMemory bodies;
};

/// One HTTP connection: reads requests and writes responses, in turn, on a thread of its own.
class Connection {
 public:
  /// Takes ownership of the socket `fd`. `shared` must outlive the connection.
  Connection(int fd, SharedByConnections& shared);
  /// Waits for the thread to end.
  ~Connection();

  /// True once the thread will not use the connection any more.
  bool over() const;
  /// Sends the data already passed to the current response, then closes the connection. Does not wait.
  void finish();

 private:
  class HttpSession;  // the socket and its thread
  std::unique_ptr<HttpSession> talk_;
};

}  // namespace compeer::serve
