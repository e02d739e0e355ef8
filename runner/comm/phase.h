#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace compeer::comm {

/// Where a process is: the phase of the step and the plugin it has called, for whoever must name a culprit.
struct Activity {
  std::string phase;
  std::string plugin;  ///< "rewards/length 1.0.0", or empty
};

/// Says what this thread does while the object lives; scopes nest. Both texts are copied into fixed buffers
/// without locks (cut at 63 and 127 bytes), so that a signal handler, the watchdog and, for the main thread, the
/// other ranks of this host can read them. A phase counts as progress when it begins and when it ends.
///
///   Phase phase("score", "rewards/length 1.0.0");
class Phase {
 public:
  explicit Phase(std::string_view phase, std::string_view plugin = {});
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Activity before_;
  int exceptions_;  // in flight when the phase began: more at its end means that it failed
};

/// Tells the watchdog that work goes on, inside a phase that may take long: once per decoded token, say. Costs one
/// atomic addition.
void mark_progress();

/// Where this thread is; where the main thread is, if this thread has no phase of its own.
Activity activity();

/// Where the main thread is.
Activity main_activity();

/// The same as activity() for a signal handler: no allocation, no locks; both texts end in a zero.
inline constexpr size_t longest_phase = 64, longest_plugin = 128;
void copy_activity(char (&phase)[longest_phase], char (&plugin)[longest_plugin]) noexcept;

/// Within a catch block: the innermost phase that the exception has left. Else the same as activity().
Activity failed_activity();

}  // namespace compeer::comm
