#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "comm/fault.h"
#include "comm/world.h"

namespace compeer::comm {

/// What the job ends with when the system kills a rank: 128 + SIGKILL.
inline constexpr int killed_exit = 137;

/// A thread that ends a run which has stopped moving, and says who is to blame.
///
/// Progress is what `Phase` and `mark_progress` report. After `seconds` without any, a rank at work reports itself. One
/// that waits leaves it to others first: it speaks after half as long again (at least a second) if it sees which rank
/// of its host it waits for, and after twice that if all of them wait. Either way: a fault with exit code 86 goes to
/// `report`, then every rank is aborted. Time during which this process was stopped (a suspended job) does not count.
///
/// It also notices when a rank of this host has vanished without a word (killed, out of memory), and reports that once
/// with exit code 137, while the launcher takes the job down. Must not outlive World::finish.
class Watchdog {
 public:
  /// `report` is called on the watchdog's thread.
  Watchdog(World& world, double seconds, std::function<void(const Fault&)> report);
  ~Watchdog();  ///< stops watching; takes no time
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch();
  void expire(double idle, bool waits);
  void blame_others(Fault& fault, double idle) const;
  double patience_with_others() const;
  void report_lost();

  World& world_;
  const double seconds_;
  const std::function<void(const Fault&)> report_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool lost_ = false, visible_ = true;  // the watchdog's thread only
  std::thread thread_;
};

}  // namespace compeer::comm
