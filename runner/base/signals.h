#pragma once
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

/// Tools for signal handlers, which must not allocate memory or call most functions of the standard library. Everything
/// in this header is async-signal-safe.
namespace compeer {

/// Builds text in a signal handler: a fixed buffer of 2048 bytes, no allocation, truncated when it is full.
class SignalText {
 public:
  /// Appends zero-terminated text.
  SignalText& add(const char* text) {
    for (; *text; ++text) put(*text);
    return *this;
  }
  /// Appends a number >= 0 in decimal.
  SignalText& add(int number) {
    char digits[12];
    size_t n = 0;
    do digits[n++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0) put(digits[--n]);
    return *this;
  }
  /// Appends zero-terminated text as the inside of a JSON string: quotes and backslashes are escaped, control
  /// characters become blanks.
  SignalText& quote(const char* text) {
    for (; *text; ++text) {
      if (*text == '"' || *text == '\\') put('\\');
      put(static_cast<unsigned char>(*text) < 0x20 ? ' ' : *text);
    }
    return *this;
  }
  /// Returns the text so far, zero-terminated; valid until the next change.
  const char* text() const { return buffer_; }
  /// Writes the text to the file descriptor `file`. Errors are ignored.
  void write_to(int file) const { [[maybe_unused]] const auto written = ::write(file, buffer_, size_); }

 private:
  /// Appends a character if there is room.
  void put(char c) {
    if (size_ + 1 < sizeof buffer_) buffer_[size_++] = c;
  }
  char buffer_[2048] = {};
  size_t size_ = 0;  ///< length of the text, without the terminating zero
};

/// Returns the name of a crash signal, such as "segmentation fault" for SIGSEGV; "crash" for other signals.
inline const char* signal_name(int signal) {
  switch (signal) {
    case 4:
      return "illegal instruction";
    case 6:
      return "abort";
    case 7:
      return "bus error";
    case 8:
      return "arithmetic error";
    case 11:
      return "segmentation fault";
    default:
      return "crash";
  }
}

/// Counts the signals that asked this process to stop, such as Ctrl-C. GNU timeout signals its child and then its own
/// process group, so one request may arrive as two signals: a signal within a second of the last counted one is not
/// counted, except after reset(). Async-signal-safe.
class StopRequests {
 public:
  /// Records a signal that arrives now. Returns the count after it.
  int add() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return add(second * now.tv_sec + now.tv_nsec);
  }
  /// Records a signal at time `now`, in nanoseconds of a monotonic clock. Returns the count after it.
  int add(int64_t now) noexcept {
    int64_t last = last_.load(std::memory_order_relaxed);
    const bool same = count() > 0 && now - last < second;
    if (!same && last_.compare_exchange_strong(last, now)) count_.fetch_add(1, std::memory_order_relaxed);
    return count();
  }
  /// Returns the number of stop requests since construction or reset().
  int count() const noexcept { return count_.load(std::memory_order_relaxed); }
  void reset() noexcept { count_ = 0; }

 private:
  static constexpr int64_t second = 1'000'000'000;  ///< a second in nanoseconds
  std::atomic<int64_t> last_{-1};                   ///< time of the last counted signal, in nanoseconds
  std::atomic<int> count_{0};                       ///< number of counted signals
  static_assert(std::atomic<int64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
};

}  // namespace compeer
