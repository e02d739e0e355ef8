#pragma once
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::launch {

/// The locked folder of a run, to which the run's processes write their files. A spec is the set of all settings of a
/// run, with a name. The folder is locked while this object or any process of the run lives. Its path is
/// `results/<name>`, or `results/<name>-<first 8 digits of the spec's hash>` if another spec, or something that is not
/// a run, has the first one. A folder of another spec is never modified, unless that run failed before it wrote any
/// results.
class RunFolder {
 public:
  /// State of a folder with respect to a spec.
  enum class State {
    fresh,      ///< no checkpoint
    resumable,  ///< at least one checkpoint, but the run of this spec has not finished
    finished,   ///< the finished run of this spec
  };

  /// Finds or creates the folder of this spec in the folder `results` and locks it. Throws Error (exit code 1: other
  /// failure) if another process holds the lock, or both paths belong to other specs.
  static RunFolder claim(const spec::Spec& spec, const std::filesystem::path& results);
  /// Locks the folder of an existing run. Throws Error (exit code 1) if another process holds the lock.
  static RunFolder open(const std::filesystem::path& folder);
  /// Returns the process that holds the lock of a run: "process 12", or "process 12 on node7" if it is on another host;
  /// "" if none does.
  static std::string holder(const std::filesystem::path& folder);
  /// Returns the folder that `claim` would choose and its state, without creating or locking it. Folders in `promised`
  /// count as taken by other specs.
  static std::pair<std::filesystem::path, State> look(const spec::Spec& spec, const std::filesystem::path& results,
                                                      const std::set<std::filesystem::path>& promised = {});

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Returns the state of the folder for a run of `spec`.
  State state(const spec::Spec& spec) const;
  /// Returns the file descriptor that holds the lock. A process that inherits it holds the lock too.
  int lock() const { return lock_; }

  /// Returns one sentence for the user for each plugin of `spec` whose file differs from the one that this run used.
  std::vector<std::string> changed_plugins(const spec::Spec& spec) const;

  /// Returns `spec` for continuing the run in this folder: with the run's history, a list of changes between attempts,
  /// and with a new entry in it for each plugin that was built again. Throws Error (exit code 5: plugin) for such a
  /// plugin unless `allow_changed`, and (exit code 1) if another process has just replaced the folder's spec.
  spec::Spec continued(spec::Spec spec, bool allow_changed) const;

  /// Returns why this folder is not `results/<name>`: "results/a belongs to another run (with ranks = 2)"; "" if it is.
  std::string namesake(const spec::Spec& spec) const;

  /// Moves the files of an earlier attempt to a new folder (NAME~1) and deletes its log. Returns the new folder; empty
  /// if there was no earlier attempt.
  std::filesystem::path rename_aside();

  /// Prepares the folder for starting the run: writes spec.json and deletes files of an earlier attempt. If `resume`,
  /// checkpoints, metrics and rollouts are kept, and status.json keeps the time of the first start and the run time.
  void prepare(const spec::Spec& spec, bool resume);

 private:
  RunFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_;  // file descriptor of the locked file; -1 after a move
};

}  // namespace compeer::launch
