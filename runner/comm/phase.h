#pragma once
#include <cstddef>
#include <string>
#include <string_view>

// A phase is a named part of a run's work ("rollout", "score"). Each thread publishes its current phase, so that error
// messages and the watchdog, a thread that ends runs without progress, can name the cause of a failure or hang.

namespace compeer::comm {

/// The phase that a thread is in and the plugin that it is calling.
struct Activity {
  std::string phase;   ///< "score"; empty if the thread is in no phase
  std::string plugin;  ///< "rewards/length 1.0.0"; empty if no plugin is being called
};

/// Sets the current phase of this thread for the lifetime of the object; scopes nest. Both texts are copied to fixed
/// lock-free buffers (truncated to 63 and 127 bytes), so that a signal handler, the watchdog and, for the main thread,
/// the other ranks of this host can read them. The beginning and the end of a phase count as progress.
///
///   Phase phase("score", "rewards/length 1.0.0");
class Phase {
 public:
  explicit Phase(std::string_view phase, std::string_view plugin = {});
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Activity previous_;  // phase and plugin of the enclosing scope, restored at the end
  int exceptions_;     // number of exceptions in flight when the phase began; if more at its end, the phase has failed
};

/// Increments this process's progress counter, which the watchdog observes. To be called inside long phases, for
/// example once per decoded token. Thread-safe; costs one atomic addition.
void mark_progress();

/// Returns the phase and plugin of this thread, or those of the main thread if this thread has no phase.
Activity activity();

/// Returns the phase and plugin of the main thread.
Activity main_activity();

/// Buffer sizes of a phase and a plugin, with the terminating zero.
inline constexpr size_t longest_phase = 64, longest_plugin = 128;
/// Like activity(), but async-signal-safe. Both texts are zero-terminated.
void copy_activity(char (&phase)[longest_phase], char (&plugin)[longest_plugin]) noexcept;

/// In a catch block, returns the innermost phase that the exception has left. If the exception has left none, returns
/// activity().
Activity failed_activity();

}  // namespace compeer::comm
