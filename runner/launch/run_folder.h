#pragma once
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::launch {

/// A run's own folder, held while the object lives and while any process of the run does: `results/<name>`, or
/// `results/<name>-<first 8 digits of the spec's hash>` where another spec, or something that is no run, has that name.
/// What belongs to another spec is never touched, unless its run failed before it had done anything.
class RunFolder {
 public:
  enum class State {
    fresh,      ///< nothing of use is there
    resumable,  ///< it did not finish, but has a checkpoint
    finished,   ///< it has its summary, and its spec is the one that was asked for
  };

  /// Finds or makes the folder of this spec and takes hold of it. Throws Error if another live process has it.
  static RunFolder claim(const spec::Spec& spec, const std::filesystem::path& results);
  /// Takes hold of a run that exists.
  static RunFolder open(const std::filesystem::path& folder);
  /// The process that holds the lock of a run: "process 12", "process 12 on node7"; "" if none does.
  static std::string holder(const std::filesystem::path& folder);
  /// Where `claim` would go, without making anything, and what it would find there. `promised` are folders that other
  /// specs will have claimed by then.
  static std::pair<std::filesystem::path, State> look(const spec::Spec& spec, const std::filesystem::path& results,
                                                      const std::set<std::filesystem::path>& promised = {});

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  const std::filesystem::path& path() const { return path_; }
  /// `spec`: the one that is to run here.
  State state(const spec::Spec& spec) const;
  /// An open file whose lock is the claim; a process that inherits it holds the folder too.
  int lock() const { return lock_; }

  /// Plugins whose files are not those the run was made with, as sentences.
  std::vector<std::string> changed_plugins(const spec::Spec& spec) const;

  /// `spec` with the history of the run here, which goes on. A plugin that is another build than the run has had so far
  /// becomes an entry of the history if `allow_changed`, else an Error (exit 5).
  spec::Spec continued(spec::Spec spec, bool allow_changed) const;

  /// Why this folder isn't the one that is called as the run is: "results/a is another run (there: ranks = 2)"; "" if
  /// it is.
  std::string namesake(const spec::Spec& spec) const;

  /// Puts a run that was begun here out of the way, its log too (record::set_aside). Where it is now; empty: there was
  /// none.
  std::filesystem::path set_aside();

  /// Before a process starts: writes spec.json and removes the files of an earlier attempt. With `resume` checkpoints,
  /// rows and rollouts stay, and status.json keeps only when the run was started and how long it has run.
  void prepare(const spec::Spec& spec, bool resume);

 private:
  RunFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_;
};

}  // namespace compeer::launch
