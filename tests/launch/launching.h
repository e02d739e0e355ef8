#pragma once
#include <functional>
#include <string>

#include "base/error.h"
#include "fake_worker.h"
#include "launch/launch.h"

namespace compeer::launch {

namespace fs = std::filesystem;

/// Fixture that launches runs with a fake worker and describes their result as text.
class Launching : public FakeWorker {
 protected:
  // Returns options without progress messages.
  static LaunchOptions quiet() {
    LaunchOptions options;
    options.quiet = true;
    return options;
  }
  // Launches one run and returns its result.
  static Launched one(const spec::Spec& spec, const LaunchOptions& options = quiet()) {
    return launch({spec}, options).at(0);
  }
  // Returns "where: problem|help|exit code" of a failed run, or "none".
  static std::string failure(const Launched& done) {
    if (!done.error) return "none";
    return done.error->where() + ": " + done.error->problem() + "|" + done.error->help() + "|" +
           std::to_string(static_cast<int>(done.error->exit()));
  }
};

/// Returns "where: problem|help|exit code" of the Error that `work` throws, or "none".
inline std::string ended(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.where() + ": " + error.problem() + "|" + error.help() + "|" +
           std::to_string(static_cast<int>(error.exit()));
  }
  return "none";
}

}  // namespace compeer::launch
