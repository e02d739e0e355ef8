#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "comm/phase.h"

// The board: shared memory in which each rank (process) of a host publishes its phase and progress. Other ranks and the
// watchdog read it to find out which rank hangs or has died. Include it only from the sources of this room.

namespace compeer::comm {

/// A text of at most N - 1 bytes that one thread writes and any thread, signal handler or other process may read at any
/// time. A read during a write may return a mixture of both texts, but is always zero-terminated.
template <size_t N>
struct FixedText {
  std::atomic<char> at[N] = {};  ///< the bytes of the text, zero-terminated

  /// Sets the text, truncated to N - 1 bytes.
  void set(std::string_view text) noexcept {
    const size_t n = text.size() < N ? text.size() : N - 1;
    for (size_t i = 0; i < n; ++i) at[i].store(text[i], std::memory_order_relaxed);
    at[n].store('\0', std::memory_order_relaxed);
  }
  /// Copies the text to `out`. Async-signal-safe.
  void copy(char (&out)[N]) const noexcept {
    for (size_t i = 0; i < N; ++i) out[i] = at[i].load(std::memory_order_relaxed);
    out[N - 1] = '\0';
  }
  /// Returns the text. Not for signal handlers, because it allocates.
  std::string get() const {
    char text[N];
    copy(text);
    return text;
  }
};

/// The state of one rank on the board. It can be read after the rank has died. All-zero memory is a valid, empty slot.
struct Slot {
  std::atomic<int32_t> rank{0}, pid{0};  ///< rank and process id
  std::atomic<uint64_t> progress{0};     ///< counter, incremented by mark_progress() and by every phase
  FixedText<longest_phase> phase;        ///< current phase of the main thread; empty if it is in none
  FixedText<longest_plugin> plugin;      ///< plugin that the main thread is calling; empty if none
  FixedText<64> waiting_in;  ///< communication call that the main thread waits in; empty if it does not wait
};

/// Makes the calling thread the main thread, and `to` its slot, with the contents of the previous one. `to`: a slot on
/// the board, or null for a slot in this process's own memory.
void move_main_slot(Slot* to);
/// Returns the slot of this process's main thread.
Slot& main_slot();
/// True if the calling thread is the main thread.
bool on_main_thread();

}  // namespace compeer::comm
