#include "comm/watchdog.h"

#include <algorithm>
#include <chrono>

#include "comm/slot.h"

namespace compeer::comm {

namespace {

using Seconds = std::chrono::duration<double>;
using Neighbour = World::Neighbour;

bool gone(const Neighbour& rank) { return rank.state == 'X' || rank.state == 'Z'; }
bool stopped(const Neighbour& rank) { return rank.state == 'T' || rank.state == 't'; }

std::string name(const Neighbour& rank, const std::string& host) {
  return "rank " + std::to_string(rank.rank) + " (host " + host + ", process " + std::to_string(rank.pid) + ")";
}

std::string condition(const Neighbour& rank) {
  if (stopped(rank)) return "is stopped by a signal";
  if (gone(rank)) return "is gone";
  if (rank.state == 'D') return "waits for a disk or a file server";
  return "works";
}

// The longest time between two looks: it decides how soon a lost rank is noticed.
double tick(double seconds) { return std::clamp(seconds / 8, 0.02, 0.25); }

// How long a rank that waits leaves it to others to report themselves.
double grace(double seconds) { return std::max(1.0, seconds / 2); }

std::string rounded(double seconds) { return std::to_string(static_cast<long>(seconds + 0.5)) + " s"; }

}  // namespace

Watchdog::Watchdog(World& world, double seconds, std::function<void(const Fault&)> report)
    : world_(world), seconds_(seconds), report_(std::move(report)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Watchdog::watch() {
  for (const auto& rank : world_.neighbours()) {
    if (gone(rank)) visible_ = false;  // ranks in containers of their own: their processes cannot be seen from here
  }
  double idle = 0;
  uint64_t seen = 0;
  auto last = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, Seconds(tick(seconds_)), [this] { return stop_; })) {
    const bool waits = !world_.waiting_in().empty();
    uint64_t progress = main_slot().progress + waits;
    for (const auto& rank : world_.neighbours()) {
      if (waits) progress += rank.progress;
    }
    // A process that was itself stopped comes late to its own look: only what it could have seen counts.
    const auto now = std::chrono::steady_clock::now();
    idle = progress == seen ? idle + std::min(Seconds(now - last).count(), 2 * tick(seconds_)) : 0;
    seen = progress, last = now;
    report_lost();
    if (idle > seconds_ + (waits ? grace(seconds_) : 0)) expire(idle, waits);
  }
}

void Watchdog::report_lost() {
  if (lost_ || !visible_) return;
  for (const auto& rank : world_.neighbours()) {
    if (!gone(rank)) continue;
    lost_ = true;
    report_({rank.rank, world_.host(), rank.place.phase, rank.place.plugin, "",
             "process " + std::to_string(rank.pid) + " has ended without a word",
             "it was killed: by a person, by the batch system, or for want of memory (see dmesg)", killed_exit});
    return;
  }
}

void Watchdog::expire(double idle, bool waits) {
  const Place here = main_place();
  Fault fault{world_.rank(),
              world_.host(),
              here.phase,
              here.plugin,
              "",
              "no progress for " + rounded(idle),
              "it hangs, or watchdog.seconds (" + rounded(seconds_) + ") is too short for this work",
              static_cast<int>(Exit::watchdog)};
  if (waits) {
    fault.what += ": waiting in " + world_.waiting_in();
    std::string others;
    for (const auto& rank : world_.neighbours()) {
      if (!rank.waiting_in.empty() && !stopped(rank) && !gone(rank)) continue;
      if (others.empty()) {  // the first one is to blame
        fault.rank = rank.rank, fault.phase = rank.place.phase, fault.plugin = rank.place.plugin;
      }
      others += (others.empty() ? "" : "; ") + name(rank, world_.host()) + " " + condition(rank);
    }
    if (!others.empty()) {
      fault.what = "rank " + std::to_string(world_.rank()) + " has waited " + rounded(idle) + " in " +
                   world_.waiting_in() + ": " + others;
    } else {
      fault.what += " for ranks of other hosts, or for one that will never come";
    }
  }
  report_(fault);
  world_.abort(Exit::watchdog);
}

}  // namespace compeer::comm
