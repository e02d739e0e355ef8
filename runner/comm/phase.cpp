// Stores the current phase of each thread; the main thread's is in a slot that other processes of the host can read.
#include "comm/phase.h"

#include <exception>
#include <optional>

#include "comm/board.h"

namespace compeer::comm {

namespace {

// Global, because signal handlers and the watchdog need them without any argument.
constinit Slot own_slot;                            // the main thread's slot while it is not on the board
constinit std::atomic<Slot*> published{&own_slot};  // the main thread's slot
constinit thread_local Slot thread_slot;
constinit thread_local bool main_thread = false;

// The innermost phase that the last exception left.
thread_local std::optional<Activity> left_by_exception;

// Returns the slot of this thread.
Slot& here() noexcept { return main_thread ? *published.load(std::memory_order_acquire) : thread_slot; }

// True if no phase is set.
bool silent(const Slot& slot) noexcept { return slot.phase.at[0].load(std::memory_order_relaxed) == '\0'; }

// Returns the slot of this thread, or the main thread's if this thread has no phase.
const Slot& seen() noexcept {
  const Slot& slot = here();
  return silent(slot) ? main_slot() : slot;
}

}  // namespace

bool on_main_thread() { return main_thread; }

Slot& main_slot() { return *published.load(std::memory_order_acquire); }

void move_main_slot(Slot* to) {
  Slot& from = main_thread ? main_slot() : thread_slot;
  main_thread = true;
  Slot& target = to ? *to : own_slot;
  if (&target == &from) return;
  target.rank = from.rank.load();
  target.pid = from.pid.load();
  target.progress = from.progress.load();
  target.phase.set(from.phase.get());
  target.plugin.set(from.plugin.get());
  target.waiting_in.set("");
  published.store(&target, std::memory_order_release);
}

Phase::Phase(std::string_view phase, std::string_view plugin)
    : previous_{here().phase.get(), here().plugin.get()}, exceptions_(std::uncaught_exceptions()) {
  left_by_exception.reset();
  here().phase.set(phase);
  here().plugin.set(plugin);
  mark_progress();
}

Phase::~Phase() {
  if (std::uncaught_exceptions() > exceptions_ && !left_by_exception) left_by_exception = activity();
  here().phase.set(previous_.phase);
  here().plugin.set(previous_.plugin);
  mark_progress();
}

void mark_progress() { main_slot().progress.fetch_add(1, std::memory_order_relaxed); }

Activity activity() { return {seen().phase.get(), seen().plugin.get()}; }

Activity main_activity() { return {main_slot().phase.get(), main_slot().plugin.get()}; }

void copy_activity(char (&phase)[longest_phase], char (&plugin)[longest_plugin]) noexcept {
  seen().phase.copy(phase);
  seen().plugin.copy(plugin);
}

Activity failed_activity() { return left_by_exception.value_or(activity()); }

}  // namespace compeer::comm
