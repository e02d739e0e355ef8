// Detects ranks that hang or have disappeared, by the progress that the ranks of this host publish on the board.
#include "comm/watchdog.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "comm/board.h"

namespace compeer::comm {

namespace {

using Seconds = std::chrono::duration<double>;
using Neighbour = World::Neighbour;

bool gone(const Neighbour& rank) { return rank.state == 'X' || rank.state == 'Z'; }
bool stopped(const Neighbour& rank) { return rank.state == 'T' || rank.state == 't'; }
bool waits_too(const Neighbour& rank) { return !rank.waiting_in.empty() && !stopped(rank) && !gone(rank); }

std::string name(const Neighbour& rank, const std::string& host) {
  return "rank " + std::to_string(rank.rank) + " (host " + host + ", process " + std::to_string(rank.pid) + ")";
}

// Describes a rank that does not wait for others.
std::string condition(const Neighbour& rank) {
  if (stopped(rank)) return "is stopped by a signal";
  if (gone(rank)) return "has exited";
  if (rank.state == 'D') return "waits for a disk or a file server";
  return "works";
}

// Returns the help for such a rank; empty if the cause is not clear.
std::string remedy(const Neighbour& rank) {
  if (stopped(rank)) return "it was stopped from outside (kill -STOP, Ctrl-Z, a debugger); resume the run";
  if (rank.state == 'D') return "a disk or file server does not respond; resume the run once it does";
  return "";
}

// Seconds between two checks, which is how soon a lost rank is detected.
double tick(double seconds) { return std::clamp(seconds / 8, 0.02, 0.25); }

std::string rounded(double seconds) { return std::to_string(std::lround(seconds)) + " s"; }

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
    if (gone(rank)) visible_ = false;  // ranks in separate containers: their processes are not in this /proc
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
    // If this process was stopped, this check is late: count at most two intervals.
    const auto now = std::chrono::steady_clock::now();
    idle = progress == seen ? idle + std::min(Seconds(now - last).count(), 2 * tick(seconds_)) : 0;
    seen = progress, last = now;
    report_lost();
    if (idle > seconds_ + (waits ? patience_with_others() : 0)) expire(idle, waits);
  }
}

// Returns the extra seconds before a waiting rank reports. The rank with the best information reports first: one that
// hangs, then one that sees which rank of its host it waits for, then the others.
double Watchdog::patience_with_others() const {
  const double grace = std::max(1.0, seconds_ / 2);
  for (const auto& rank : world_.neighbours()) {
    if (!waits_too(rank)) return grace;
  }
  return 2 * grace;
}

void Watchdog::report_lost() {
  if (lost_ || !visible_) return;
  for (const auto& rank : world_.neighbours()) {
    if (!gone(rank)) continue;
    lost_ = true;
    report_({rank.rank, world_.host(), rank.activity.phase, rank.activity.plugin, "",
             "process " + std::to_string(rank.pid) + " ended without reporting an error",
             "it was killed by a user, the batch system or the kernel for lack of memory (see dmesg), or a library "
             "called _exit()",
             killed_exit});
    return;
  }
}

// Fills in the fault of a rank that waits. It blames the first rank of its host that does not wait. If all of them
// wait, it blames a rank in the least frequent call, and of several the highest rank, because rank 0 takes the lead in
// collectives (World::disagree uses the same rule).
void Watchdog::blame_others(Fault& fault, double idle) const {
  auto ranks = world_.neighbours();
  const Neighbour* culprit = nullptr;
  std::string others;
  for (const auto& rank : ranks) {
    if (!waits_too(rank) && !culprit) culprit = &rank;
    others +=
        "; " + name(rank, world_.host()) + (waits_too(rank) ? " waits in " + rank.waiting_in : " " + condition(rank));
  }
  fault.what =
      "rank " + std::to_string(world_.rank()) + " has waited " + rounded(idle) + " in " + world_.waiting_in() + others;
  if (!culprit) {
    if (ranks.size() + 1 < static_cast<size_t>(world_.size()))
      fault.what += "; the state of ranks on other hosts is unknown";
    ranks.push_back({world_.rank(), 0, main_activity(), world_.waiting_in()});
    std::sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.rank > b.rank; });
    const auto times = [&](const Neighbour& one) {
      return std::count_if(ranks.begin(), ranks.end(),
                           [&](const auto& rank) { return rank.waiting_in == one.waiting_in; });
    };
    culprit = &*std::min_element(ranks.begin(), ranks.end(),
                                 [&](const auto& a, const auto& b) { return times(a) < times(b); });
  }
  fault.rank = culprit->rank, fault.phase = culprit->activity.phase, fault.plugin = culprit->activity.plugin;
  if (const auto help = remedy(*culprit); !help.empty()) fault.help = help;
}

void Watchdog::expire(double idle, bool waits) {
  const Activity here = main_activity();
  Fault fault{world_.rank(), world_.host(), here.phase, here.plugin, "", "no progress for " + rounded(idle)};
  fault.help = "it hangs, or watchdog.seconds (" + rounded(seconds_) + ") is too short for this work";
  fault.exit = static_cast<int>(Exit::watchdog);
  if (waits) blame_others(fault, idle);
  report_(fault);
  world_.abort(Exit::watchdog);
}

}  // namespace compeer::comm
