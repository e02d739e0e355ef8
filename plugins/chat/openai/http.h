#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace compeer::openai {

using Milliseconds = std::chrono::milliseconds;

/// A URL of an endpoint, taken apart. Throws std::runtime_error saying what is wrong with it.
struct Address {
  explicit Address(const std::string& url);
  std::string url;
  bool secure = false;    ///< https
  bool loopback = false;  ///< this machine: localhost, 127.x.x.x, ::1
};

/// Where and how bodies are posted.
struct Post {
  std::string url;
  std::vector<std::string> headers;
  bool direct = false;                    ///< never by a proxy, whatever the environment says
  std::string authorities;                ///< file with the certificates trusted instead of the system's; may be empty
  Milliseconds connect{10'000};           ///< for the connection
  Milliseconds whole{600'000};            ///< for all of it
  Milliseconds stall{120'000};            ///< between two pieces of an answer that has begun
  uint64_t largest = uint64_t{16} << 20;  ///< bytes of an answer
};

/// One post that has ended.
struct Ended {
  size_t id = 0;
  int64_t status = 0;  ///< of HTTP; 0 if there was none
  std::string body;
  std::optional<Milliseconds> retry_after;
  std::string broken;      ///< why there is no whole answer: not connected, timed out, cut off. Empty if there is one
  bool too_large = false;  ///< cut off by us, for its size
  bool hopeless = false;   ///< broken in a way that no other try mends
};

/// Posts side by side, each on a connection of its own that is used again. The only place that knows libcurl.
class Posts {
 public:
  explicit Posts(Post post);
  ~Posts();

  void start(size_t id, std::string body);
  size_t active() const;
  /// Ends them all.
  void drop();

  /// Works until a post ends or the time is over; what has ended since the last call.
  std::vector<Ended> wait(Milliseconds longest);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace compeer::openai
