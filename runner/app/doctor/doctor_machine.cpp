// What a run finds on the machine: processor, memory, the folder for results.
#include <fmt/format.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "app/doctor/doctor.h"

namespace compeer::app {

namespace fs = std::filesystem;

namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

uint64_t memory() {
  uint64_t bytes = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  uint64_t limit = 0;  // the file holds "max" where there is none
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

fs::path nearest_existing(fs::path folder) {
  std::error_code none;
  while (!fs::exists(folder, none) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

Finding check_room(const fs::path& folder) {
  struct statvfs room {};
  if (::statvfs(folder.c_str(), &room) != 0) return {"room", Finding::remark, "unknown", ""};
  const double free = static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize) / gib;
  const auto what = fmt::format("{:.1f} GiB free", free);
  if (free >= 1) return {"room", Finding::good, what, ""};
  return {"room", Finding::remark, what, "the quickstart needs about 0.2 GiB; write elsewhere with --results DIR"};
}

struct FileSystem {
  const char* name;
  enum { local, fleeting, parallel, remote } kind;
};

// The numbers are those of the kernel's linux/magic.h, and of the parallel file systems' own headers.
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

}  // namespace

Processor this_processor() {
  Processor processor;
#ifdef __x86_64__
  processor.avx2 = __builtin_cpu_supports("avx2");
  processor.fma = __builtin_cpu_supports("fma");
  processor.avx512 = __builtin_cpu_supports("avx512f");
#endif
  processor.cores = usable_cores();
  processor.memory = memory();
  return processor;
}

std::vector<Finding> check_processor(const Processor& processor) {
  std::vector<Finding> findings(2);
  auto& [name, state, what, remedy] = findings[0];
  name = "processor";
  if (processor.avx2 && processor.fma) {
    what = processor.avx512 ? "AVX2, FMA, AVX-512" : "AVX2, FMA (no AVX-512)";
  } else {
    state = Finding::lacking;
    what = fmt::format("no {}{}{}", processor.avx2 ? "" : "AVX2", processor.avx2 || processor.fma ? "" : ", ",
                       processor.fma ? "" : "FMA");
    remedy = "compeer needs an x86-64 processor of 2013 or later; in a virtual machine, pass the host's processor on";
  }
  const double size = static_cast<double>(processor.memory) / gib;
  findings[1] = {"cores", Finding::good, fmt::format("{}, {:.1f} GiB memory", processor.cores, size), ""};
  if (size < 2) {
    findings[1].state = Finding::remark;
    findings[1].remedy = "a rank of a small model takes 0.3 GiB, compiling 1.5 GiB";
  }
  return findings;
}

std::vector<Finding> check_results(const fs::path& folder) {
  const auto existing = nearest_existing(folder);
  Finding access{"results", Finding::good, folder.string(), ""};
  std::error_code none;
  if (!fs::is_directory(existing, none) || ::access(existing.c_str(), W_OK | X_OK) != 0) {
    access.state = Finding::lacking;
    access.what = folder.string() + " can't be written";
    access.remedy = "run in a folder of yours, or name one with --results DIR";
  }
  struct statfs system {};
  if (::statfs(existing.c_str(), &system) != 0) return {access};
  return {access, check_room(existing), judge_file_system(static_cast<int64_t>(system.f_type))};
}

Finding judge_file_system(int64_t kind) {
  const auto found = file_systems().find(kind & 0xFFFFFFFF);
  if (found == file_systems().end()) return {"files", Finding::good, fmt::format("kind {:#x}", kind), ""};
  Finding finding{"files", Finding::remark, found->second.name, ""};
  switch (found->second.kind) {
    case FileSystem::local:
      finding.state = Finding::good;
      break;
    case FileSystem::fleeting:
      finding.remedy = "what is written here is gone after a restart of the machine";
      break;
    case FileSystem::parallel:
      finding.remedy = "if run.h5 can't be opened (errno 11, 37 or 524), set HDF5_USE_FILE_LOCKING=FALSE";
      break;
    case FileSystem::remote:
      finding.remedy =
          "reading run.h5 while a run writes it (HDF5's SWMR) is not reliable here: write to a local disk "
          "with --results DIR, or read after the end";
      break;
  }
  return finding;
}

}  // namespace compeer::app
