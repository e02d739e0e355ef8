// Finds, locks and prepares the folders of runs.
#include "launch/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "base/files.h"
#include "base/inside.h"
#include "base/machine.h"
#include "record/checkpoint.h"
#include "record/run_folder.h"
#include "record/status.h"
#include "spec/history.h"
#include "spec/renamed.h"
#include "spec/text.h"

namespace compeer::launch {

namespace fs = std::filesystem;

namespace {

constexpr const char* lock_name = ".lock";
constexpr auto patience = std::chrono::seconds(15);  // for processes of a dead front end to end

// Returns the hash of the folder's spec.json; "" if there is no such file, "?" if it is invalid. If the version before
// wrote the file, the hash is that of the spec with the present names of settings.
std::string hash_in(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder / "spec.json", code)) return "";
  try {
    const auto text = read_plain_file(folder / "spec.json", 16 << 20);
    auto file = nlohmann::json::parse(text);
    return spec::rename_settings(file["spec"]).empty() ? file.at("sha256").get<std::string>()
                                                       : spec::Spec::from_file_text(text).sha256();
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    return "?";
  } catch (const nlohmann::json::exception&) {
    return "?";
  }
}

// True if the folder has no run, or only the traces of one that failed before it wrote any results.
bool holds_only_traces(const fs::path& folder) {
  std::error_code code;
  std::set<std::string> traces{lock_name, "log.txt"};
  if (fs::exists(folder / "error.json", code)) traces.insert({"error.json", "spec.json"});
  for (const auto& entry : entries_of(folder)) {
    if (!traces.contains(entry.path().filename().string())) return false;
  }
  return true;
}

bool free_for(const fs::path& folder, const std::string& hash) {
  std::error_code code;
  if (!fs::exists(folder, code)) return true;
  if (!fs::is_directory(folder, code)) return false;
  return hash_in(folder) == hash || holds_only_traces(folder);
}

struct Owner {
  long pid = 0;
  std::string host;

  std::string text() const {
    return host == host_name() ? fmt::format("process {}", pid) : fmt::format("process {} on {}", pid, host);
  }
};

// Returns the process that last wrote its id and host to the lock file.
std::optional<Owner> last_owner(const fs::path& folder) {
  std::error_code code;
  Owner owner;
  if (!fs::is_regular_file(folder / lock_name, code)) return {};
  std::ifstream file(folder / lock_name);
  if (!(file >> owner.pid >> owner.host)) return {};
  return owner;
}

// Returns that process as text; "" if it has ended. A process on another host is assumed to be alive.
std::string live_owner(const fs::path& folder) {
  const auto owner = last_owner(folder);
  if (!owner) return "";
  const bool here = owner->host == host_name();
  return !here || ::kill(static_cast<pid_t>(owner->pid), 0) == 0 || errno == EPERM ? owner->text() : "";
}

// Returns the descriptor of the open, locked file. Waits up to 15 seconds for processes that a dead owner has left;
// does not wait for a live owner.
int take_lock(const fs::path& folder) {
  const auto file = folder / lock_name;
  const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (lock < 0) throw Error(file.string(), fmt::format("can't be opened: {}", std::strerror(errno)), "", Exit::failure);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR && live_owner(folder).empty()) break;  // a file system without locks
    const auto owner = live_owner(folder);
    if (owner.empty() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      continue;
    }
    ::close(lock);
    throw Error(folder.string(),
                owner.empty() ? "processes of an earlier attempt still use this run"
                              : fmt::format("this run is in progress in {}", owner),
                "wait until it exits, or stop it", Exit::failure);
  }
  struct stat status = {};
  const bool own = ::fstat(lock, &status) == 0 && status.st_nlink == 1;  // a hard link could be another file's
  const auto text = fmt::format("{} {}\n", ::getpid(), host_name());
  if (!own || ::ftruncate(lock, 0) != 0 || ::pwrite(lock, text.data(), text.size(), 0) < 0) {
    // Ignored: the folder is locked; only messages of other processes would not name this one.
  }
  return lock;
}

fs::path in_results(const fs::path& results, const std::string& name, const std::string& hash, bool second) {
  return results / (second ? name + "-" + hash.substr(0, 8) : name);
}

fs::path find_place(const spec::Spec& spec, const fs::path& results, const std::set<fs::path>& promised = {}) {
  const auto name = spec.values.at("name").get<std::string>(), hash = spec.sha256();
  for (const bool second : {false, true}) {
    const auto folder = in_results(results, name, hash, second);
    if (!promised.contains(folder) && free_for(folder, hash)) return folder;
  }
  throw Error(in_results(results, name, hash, true).string(), "already exists and belongs to another run",
              "give the run another name, or use --results", Exit::failure);
}

spec::Spec spec_of(const fs::path& folder) {
  const auto file = folder / "spec.json";
  return spec::Spec::from_file_text(read_plain_file(file, 16 << 20), file.string());
}

RunFolder::State state_of(const fs::path& folder, const spec::Spec& spec) {
  if (record::has_finished(folder) && hash_in(folder) == spec.sha256()) return RunFolder::State::finished;
  return record::checkpoint_folders(folder).empty() ? RunFolder::State::fresh : RunFolder::State::resumable;
}

[[noreturn]] void refuse_changes(const fs::path& folder, const spec::json& changes) {
  std::vector<std::string> builds;
  for (const auto& change : changes)
    builds.push_back(fmt::format("{} (SHA-256 {}... then, {}... now)", change.at("what").get<std::string>(),
                                 change.at("before").get<std::string>().substr(0, 16),
                                 change.at("after").get<std::string>().substr(0, 16)));
  throw Error(folder.string(), fmt::format("was started with another build of {}", fmt::join(builds, ", ")),
              "restore the old library, or add --changed to continue with the new one and record the change, or "
              "start over: compeer run FILE --fresh",
              Exit::plugin);
}

}  // namespace

RunFolder RunFolder::claim(const spec::Spec& spec, const fs::path& results) {
  std::error_code code;
  for (int tries = 0;; ++tries) {
    const auto folder = find_place(spec, results);
    fs::create_directories(folder, code);
    if (code) throw Error(folder.string(), fmt::format("can't be created: {}", code.message()), "", Exit::failure);
    RunFolder mine(folder, take_lock(folder));
    record::refuse_outside_files(folder);
    // Another process may have claimed the folder before it was locked.
    if (free_for(folder, spec.sha256())) return mine;
    if (tries == 10)
      throw Error(folder.string(), "can't be locked: other processes replace it repeatedly",
                  "wait until they exit, or use --results", Exit::failure);
  }
}

RunFolder RunFolder::open(const fs::path& folder) {
  RunFolder mine(folder, take_lock(folder));
  record::refuse_outside_files(folder);
  return mine;
}

std::pair<fs::path, RunFolder::State> RunFolder::look(const spec::Spec& spec, const fs::path& results,
                                                      const std::set<fs::path>& promised) {
  const auto folder = find_place(spec, results, promised);
  return {folder, state_of(folder, spec)};
}

std::string RunFolder::holder(const fs::path& folder) {
  const auto owner = last_owner(folder);
  if (!owner) return "";
  const int lock = ::open((folder / lock_name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (lock < 0) return "";
  const bool is_free = ::flock(lock, LOCK_SH | LOCK_NB) == 0, is_held = !is_free && errno == EWOULDBLOCK;
  ::close(lock);
  return is_free ? "" : is_held ? owner->text() : live_owner(folder);  // last case: a file system without locks
}

RunFolder::RunFolder(RunFolder&& other) noexcept : path_(std::move(other.path_)), lock_(other.lock_) {
  other.lock_ = -1;
}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

RunFolder::State RunFolder::state(const spec::Spec& spec) const { return state_of(path_, spec); }

std::vector<std::string> RunFolder::changed_plugins(const spec::Spec& spec) const {
  std::vector<std::string> sentences;
  try {
    const auto before = spec_of(path_);
    for (const auto& plugin : spec.plugins) {
      for (const auto& old : before.plugins) {
        if (old.kind != plugin.kind || old.name != plugin.name || old.sha256 == plugin.sha256) continue;
        sentences.push_back(fmt::format("{}: the finished run used another build of the plugin {}/{}", path_.string(),
                                        plugin.kind, plugin.name));
      }
    }
  } catch (const Error&) {  // no spec of an earlier attempt
  }
  return sentences;
}

spec::Spec RunFolder::continued(spec::Spec spec, bool allow_changed) const {
  const auto before = spec_of(path_);
  if (!spec::is_spec_of_run(spec::json::parse(spec.file_text()), before.sha256()))
    throw Error(path_.string(), "another process has just replaced its spec", "repeat the command", Exit::failure);
  if (spec.history.empty()) spec.history = before.history;
  spec::json changes = spec::json::array();
  for (const auto& plugin : spec.plugins) {
    for (const auto& old : before.plugins) {
      if (old.kind != plugin.kind || old.name != plugin.name || old.sha256 == plugin.sha256) continue;
      changes.push_back({{"what", fmt::format("plugin {}/{}", plugin.kind, plugin.name)},
                         {"before", old.sha256},
                         {"after", plugin.sha256}});
    }
  }
  if (changes.empty()) return spec;
  if (!allow_changed) refuse_changes(path_, changes);
  const auto start = record::newest_good(path_);
  for (auto& change : changes) {
    change.update({{"step", start ? start->step : 0}, {"spec_before", spec.sha256()}, {"spec_after", spec.sha256()}});
    spec.history.push_back(change);
  }
  return spec;
}

std::string RunFolder::namesake(const spec::Spec& spec) const {
  constexpr size_t shown = 3;
  const auto other = path_.parent_path() / spec.values.at("name").get<std::string>();
  if (other == path_) return "";
  try {
    const auto changes = spec::diff(spec_of(other), spec);
    if (changes.size() == 1 && changes[0].path.ends_with(".steps") && changes[0].before < changes[0].after)
      return fmt::format("{0} is the same run with {1} steps; to continue it: compeer resume {0} --set {2}={3}",
                         other.string(), spec::show(changes[0].before), changes[0].path, spec::show(changes[0].after));
    std::vector<std::string> there;
    for (size_t i = 0; i < std::min(shown, changes.size()); ++i) {
      const auto& [path, before, after, origin, new_origin] = changes[i];
      there.push_back(path + (before.is_discarded() ? " unset" : " = " + spec::show(before)));
    }
    if (changes.size() > shown) there.push_back(fmt::format("{} more", changes.size() - shown));
    if (!there.empty())
      return fmt::format("{} belongs to another run (with {})", other.string(), fmt::join(there, ", "));
  } catch (const Error&) {  // not a run, or unreadable
  }
  return other.string() + " exists and is not this run";
}

fs::path RunFolder::rename_aside() {
  if (!record::was_begun(path_)) return {};
  auto aside = path_;
  aside.replace_filename(record::rename_aside(path_).filename());
  fs::remove(path_ / "log.txt");
  return aside;
}

void RunFolder::prepare(const spec::Spec& spec, bool resume) {
  std::vector<std::string> gone{"error.json", "status.json", "summary.json", "report.html"};
  if (!resume) gone.insert(gone.end(), {"run.h5", "rollouts", "stages", "checkpoints"});
  const auto status = record::starting_status(path_);
  for (const auto& name : gone) fs::remove_all(path_ / name);
  if (resume) record::write_status(path_, status);
  write_file(path_ / "spec.json", spec.file_text());
}

}  // namespace compeer::launch
