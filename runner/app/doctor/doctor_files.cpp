// Checks of the file system of the results: its type, and tests in a temporary folder.
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <vector>

#include "app/doctor/doctor.h"
#include "base/error.h"
#include "base/files.h"
#include "record/in_child.h"
#include "record/run_file.h"

namespace compeer::app {

namespace fs = std::filesystem;

namespace {

constexpr double bytes_per_gib = 1024.0 * 1024 * 1024;
constexpr double hdf5_seconds = 30;  // time limit in seconds for the HDF5 test

fs::path nearest_existing(fs::path folder) {
  std::error_code none;
  while (!fs::exists(folder, none) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

Finding check_room(const fs::path& folder) {
  struct statvfs room {};
  if (::statvfs(folder.c_str(), &room) != 0) return {"room", Finding::remark, "unknown", ""};
  const double free = static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize) / bytes_per_gib;
  const auto what = fmt::format("{:.1f} GiB free", free);
  if (free >= 1) return {"room", Finding::good, what, ""};
  return {"room", Finding::remark, what, "the quickstart needs about 0.2 GiB; write elsewhere with --results DIR"};
}

struct FileSystem {
  const char* name;
  enum { local, fleeting, parallel, remote } kind;
};

// Numbers from the kernel's linux/magic.h and from the headers of the parallel file systems.
const std::map<int64_t, FileSystem>& file_systems() {
  static const std::map<int64_t, FileSystem> all = {
      {0xEF53, {"ext4", FileSystem::local}},          {0x58465342, {"xfs", FileSystem::local}},
      {0x9123683E, {"btrfs", FileSystem::local}},     {0x2FC12FC1, {"zfs", FileSystem::local}},
      {0x794C7630, {"overlayfs", FileSystem::local}}, {0x01021994, {"tmpfs", FileSystem::fleeting}},
      {0x858458F6, {"ramfs", FileSystem::fleeting}},  {0x0BD00BD0, {"Lustre", FileSystem::parallel}},
      {0x47504653, {"GPFS", FileSystem::parallel}},   {0x19830326, {"BeeGFS", FileSystem::parallel}},
      {0x00C36400, {"Ceph", FileSystem::parallel}},   {0x6969, {"NFS", FileSystem::remote}},
      {0x517B, {"SMB", FileSystem::remote}},          {0xFE534D42, {"SMB", FileSystem::remote}},
      {0xFF534D42, {"CIFS", FileSystem::remote}},     {0x01021997, {"9p", FileSystem::remote}},
      {0x65735546, {"FUSE", FileSystem::remote}},
  };
  return all;
}

// Temporary folder for tests, removed by the destructor. `folder` is empty if none can be created.
class TrialFolder {
 public:
  explicit TrialFolder(const fs::path& where) {
    std::string name = (where / ".compeer-doctor-XXXXXX").string();
    if (::mkdtemp(name.data())) folder_ = name;
  }
  ~TrialFolder() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

// Checks that a lock of one open file excludes a second one.
Finding try_locks(const fs::path& folder) {
  const auto file = (folder / "lock").string();
  const int first = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const int second = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  const bool taken = ::flock(first, LOCK_EX | LOCK_NB) == 0;
  const int error = taken ? 0 : errno;
  const bool kept = taken && ::flock(second, LOCK_EX | LOCK_NB) != 0;
  ::close(first);
  ::close(second);
  if (kept) return {"locks", Finding::good, "files can be locked", ""};
  return {"locks", Finding::remark,
          taken ? "locks do not exclude other processes" : std::string("no locks: ") + std::strerror(error),
          "two processes could write to the same run: start each run only once; if run.h5 can't be opened, set "
          "HDF5_USE_FILE_LOCKING=FALSE"};
}

Finding try_whole_files(const fs::path& folder) {
  const auto start = std::chrono::steady_clock::now();
  try {
    write_file(folder / "file", "first");
    write_file(folder / "file", "second");
    if (read_file(folder / "file") != "second") throw Error("", "a renamed file keeps its old content");
  } catch (const Error& error) {
    return {"fsync", Finding::lacking, error.problem(), "checkpoints need it: write elsewhere with --results DIR"};
  }
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
  return {"fsync", Finding::good, fmt::format("a file is written durably in {:.1f} ms", passed.count() / 2), ""};
}

// Runs in a child process, because HDF5 may hang or crash on some file systems.
Finding try_live_reading(const fs::path& folder) {
  const auto seen = record::in_child(
      [&] {
        auto writer = record::RunWriter::create(folder / "run.h5", "{}", {"value"});
        for (const double value : {1.0, 2.0}) writer.append({&value, 1});
        return std::to_string(record::RunReader(folder / "run.h5").rows());
      },
      hdf5_seconds);
  if (seen.problem.empty() && seen.output == "2")
    return {"SWMR", Finding::good, "run.h5 can be read while it is written", ""};
  return {"SWMR", Finding::remark,
          "run.h5 can't be read while it is written" + (seen.problem.empty() ? "" : ": " + seen.problem),
          "read it after the run, or write to a local disk with --results DIR"};
}

}  // namespace

std::vector<Finding> check_results(const fs::path& folder) {
  const auto existing = nearest_existing(folder);
  Finding access{"results", Finding::good, folder.string(), ""};
  std::error_code none;
  const bool writable = fs::is_directory(existing, none) && ::access(existing.c_str(), W_OK | X_OK) == 0;
  if (!writable) {
    access.state = Finding::lacking;
    access.result = folder.string() + " can't be written";
    access.remedy = "run in a folder of yours, or name one with --results DIR";
  }
  std::vector<Finding> findings{access};
  struct statfs system {};
  if (::statfs(existing.c_str(), &system) != 0) return findings;
  findings.push_back(check_room(existing));
  findings.push_back(interpret_file_system(static_cast<int64_t>(system.f_type)));
  const TrialFolder trial(existing);
  if (!writable || trial.folder().empty()) return findings;
  for (auto* attempt : {try_locks, try_whole_files, try_live_reading}) findings.push_back(attempt(trial.folder()));
  return findings;
}

Finding check_temporary(const fs::path& folder) {
  const TrialFolder trial(folder);
  try {
    if (trial.folder().empty()) throw Error("", std::strerror(errno));
    write_file(trial.folder() / "file", "text");
  } catch (const Error& error) {
    return {"TMPDIR", Finding::remark, fmt::format("{} can't be written: {}", folder.string(), error.problem()),
            "mpirun needs it: set TMPDIR to a folder that can be written"};
  }
  return {"TMPDIR", Finding::good, folder.string(), ""};
}

Finding interpret_file_system(int64_t kind) {
  const auto found = file_systems().find(kind & 0xFFFFFFFF);
  if (found == file_systems().end()) return {"files", Finding::good, fmt::format("kind {:#x}", kind), ""};
  Finding finding{"files", Finding::remark, found->second.name, ""};
  switch (found->second.kind) {
    case FileSystem::local:
      finding.state = Finding::good;
      break;
    case FileSystem::fleeting:
      finding.remedy = "files written here are lost when the machine restarts";
      break;
    case FileSystem::parallel:
      finding.remedy = "if run.h5 can't be opened (errno 11, 37 or 524), set HDF5_USE_FILE_LOCKING=FALSE";
      break;
    case FileSystem::remote:
      finding.remedy =
          "reading run.h5 from another host while a run writes it (HDF5's SWMR) is not reliable here: write to a local "
          "disk with --results DIR, or read it after the run has ended";
      break;
  }
  return finding;
}

}  // namespace compeer::app
