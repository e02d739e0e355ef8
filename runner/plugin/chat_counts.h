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

/// What was asked of chat models by one rank since it started.
struct ChatCounts {
  std::atomic<int64_t> asked = 0;   ///< requests that went to a plugin
  std::atomic<int64_t> known = 0;   ///< requests answered out of the store, or by the same request beside them
  std::atomic<int64_t> failed = 0;  ///< of those asked: no answer after all retries
  std::atomic<int64_t> prompt_tokens = 0, completion_tokens = 0;  ///< of those asked, as far as known
  std::atomic<int64_t> malformed = 0;                             ///< questions without any answer that could be read
  std::atomic<int64_t> again = 0;  ///< answers that could not be read, whose questions were asked again
  std::atomic<double> cost = 0;    ///< of those asked, as far as prices are known

  void note_unreadable(const std::string& answer, bool asked_again) {
    ++(asked_again ? again : malformed);
    const std::lock_guard lock(mutex_);
    const bool told = std::find(unreadable_.begin(), unreadable_.end(), answer) != unreadable_.end();
    if (!asked_again && !told && unreadable_.size() < 3) unreadable_.push_back(answer);
  }
  /// The first three different answers that could not be read, since this was last called.
  std::vector<std::string> take_unreadable() {
    const std::lock_guard lock(mutex_);
    return std::exchange(unreadable_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> unreadable_;
};

/// Told before a chat model is asked: how many of how many requests go to it, and about how many tokens they have.
struct Announcement {
  std::string model;
  size_t requests, unknown;
  int64_t tokens;
};

}  // namespace compeer::plugin
