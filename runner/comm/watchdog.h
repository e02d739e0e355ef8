#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "comm/fault.h"
#include "comm/world.h"

namespace compeer::comm {

/// Exit code of a job when the system kills a rank: 128 + SIGKILL.
inline constexpr int killed_exit = 137;

/// A thread that aborts a run without progress and reports the rank (process) that caused it. Each rank has one.
///
/// Progress is reported by `Phase` and `mark_progress`. A rank that does not wait for others reports itself after
/// `seconds` without progress. A rank that waits gives others time to report first: it reports max(1 s, seconds / 2)
/// later if a rank of its host does not wait, which it then blames, and twice that later if all ranks of its host wait.
/// The fault, with exit code 86 (watchdog), is passed to `report`, then all ranks are aborted. Time during which this
/// process was stopped (a suspended job) does not count.
///
/// Also detects that a rank of this host has disappeared (killed, out of memory), and reports it once, with exit code
/// 137, while the launcher ends the job. Must be destroyed before World::finish.
class Watchdog {
 public:
  /// Starts the thread. `seconds`: longest time without progress. `report`: stores the fault, for example in
  /// error.json; it is called on the watchdog's thread. Keeps a reference to `world`.
  Watchdog(World& world, double seconds, std::function<void(const Fault&)> report);
  ~Watchdog();  ///< ends the thread without delay
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch();  // the thread's loop
  // Reports a fault and aborts the run. `idle`: seconds without progress. `waits`: this rank waits for others.
  void expire(double idle, bool waits);
  void blame_others(Fault& fault, double idle) const;  // replaces this rank in `fault` by the one it waits for
  double patience_with_others() const;                 // additional seconds before a rank that waits reports
  void report_lost();                                  // reports a rank of this host that has disappeared, if any

  World& world_;
  const double seconds_;  // longest time without progress
  const std::function<void(const Fault&)> report_;
  std::mutex mutex_;              // protects `stop_`
  std::condition_variable wake_;  // notified when `stop_` is set
  bool stop_ = false;             // the thread is to end
  // Used by the watchdog's thread only: a lost rank was reported; the other ranks' processes are visible in /proc.
  bool lost_ = false, visible_ = true;
  std::thread thread_;
};

}  // namespace compeer::comm
