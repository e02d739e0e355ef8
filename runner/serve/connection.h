#pragma once
#include <memory>
#include <mutex>
#include <thread>

#include "serve/http.h"

namespace compeer::serve {

/// Bytes of bodies that are being read or answered, of all connections.
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

/// What all connections of a server share.
struct SharedByConnections {
  HttpLimits limits;
  HttpServer::Gate gate;
  HttpServer::Handler handler;
  BodyMemory bodies;
};

/// One connection: requests and answers by turns, in a thread of its own.
class Connection {
 public:
  Connection(int fd, SharedByConnections& shared);
  ~Connection();

  bool over() const;
  /// What was given is still sent; no other request is read.
  void finish();

 private:
  class Talk;
  std::unique_ptr<Talk> talk_;
};

}  // namespace compeer::serve
