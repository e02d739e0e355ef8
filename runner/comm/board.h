#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "comm/phase.h"

namespace compeer::comm {

/// A text of at most N - 1 bytes that one thread writes and any thread, signal handler or other process may read at any
/// time. A read during a write may return a mixture of both texts, but is always zero-terminated.
template <size_t N>
struct FixedText {
  std::atomic<char> at[N] = {};

  /// Sets the text, truncated to N - 1 bytes.
  void set(std::string_view text) noexcept {
    const size_t n = text.size() < N ? text.size() : N - 1;
    for (size_t i = 0; i < n; ++i) at[i].store(text[i], std::memory_order_relaxed);
    at[n].store('\0', std::memory_order_relaxed);
  }
  void copy(char (&out)[N]) const noexcept {
    for (size_t i = 0; i < N; ++i) out[i] = at[i].load(std::memory_order_relaxed);
    out[N - 1] = '\0';
  }
  std::string get() const {
    char text[N];
    copy(text);
    return text;
  }
};

/// The state of one rank in memory that all ranks of its host share (the board): it can be read after the rank has
/// died. All-zero memory is a valid, empty slot.
struct Slot {
  std::atomic<int32_t> rank{0}, pid{0};
  std::atomic<uint64_t> progress{0};  ///< incremented by mark_progress()
  FixedText<longest_phase> phase;     ///< of the main thread
  FixedText<longest_plugin> plugin;   ///< of the main thread
  FixedText<64> waiting_in;           ///< communication call that the main thread waits in; empty if it does not wait
};

/// Moves the main thread's slot, with its contents, to `to` on the board, or back to this process's memory if `to` is
/// null. Makes the calling thread the main thread.
void move_main_slot(Slot* to);
/// Returns the slot of this process's main thread.
Slot& main_slot();
/// True if the calling thread is the main thread.
bool on_main_thread();

}  // namespace compeer::comm
