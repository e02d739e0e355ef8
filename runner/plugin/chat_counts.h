#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace compeer::plugin {

/// The first three different texts of many. May be used by several threads.
class Examples {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (texts_.size() < 3 && std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(text);
  }
  /// Returns the examples and starts over.
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

/// What was asked of chat models by one rank since it started.
struct ChatCounts {
  std::atomic<int64_t> asked = 0;   ///< requests that a plugin has replied to, failures included
  std::atomic<int64_t> known = 0;   ///< requests answered by the store, or by the same request in one call
  std::atomic<int64_t> failed = 0;  ///< of those asked: no answer after all retries
  std::atomic<int64_t> prompt_tokens = 0, completion_tokens = 0;  ///< of those asked, as far as known
  std::atomic<int64_t> malformed = 0;                             ///< requests without any answer that could be read
  std::atomic<int64_t> again = 0;  ///< answers that could not be read, whose requests were repeated
  std::atomic<double> cost = 0;    ///< of those asked, in the currency of `price_in`
  Examples unreadable;             ///< of `malformed`: "'I would keep it'", "an empty answer"
  Examples failures;               ///< of `failed`: the reasons
};

/// Made before a chat model is asked. `unknown`: different requests that are not in the store. `tokens`: an estimate of
/// those in their prompts.
struct Announcement {
  std::string model;
  size_t requests, unknown;
  int64_t tokens;
};

}  // namespace compeer::plugin
