#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "comm/phase.h"

namespace compeer::comm {

/// A text of fixed size that one thread writes and anyone may read at any time, also from a signal handler or
/// another process. A reader that comes in the middle of a change sees a mixture, never rubbish beyond the end.
template <size_t N>
struct FixedText {
  std::atomic<char> at[N] = {};

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

/// One rank's line on the board of its host, in memory that all ranks of the host share: it can still be read after
/// the rank has died. Zero bytes are a valid, empty slot.
struct Slot {
  std::atomic<int32_t> rank{0}, pid{0};
  std::atomic<uint64_t> progress{0};
  FixedText<longest_phase> phase;
  FixedText<longest_plugin> plugin;
  FixedText<64> waiting_in;
};

/// The slot in which this process's main thread writes; `World` moves it to the board and back. Whoever calls this
/// is the main thread from now on.
void move_main_slot(Slot* to);
Slot& main_slot();
bool on_main_thread();

}  // namespace compeer::comm
