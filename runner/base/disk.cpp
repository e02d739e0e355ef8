// Advice for failed file operations, and the folders for temporary and cached files.
#include "base/disk.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace compeer {

namespace {

struct Cause {
  int error;
  const char* remedy;
};

constexpr Cause causes[] = {
    {ENOSPC, "make room on its disk; the same command then goes on"},
    {EDQUOT, "your quota on its disk is used up: make room; the same command then goes on"},
    {EFBIG, "a limit forbids larger files: see `ulimit -f`"},
    {EIO, "the disk or file server failed (dmesg says more); the run can go on once it works"},
    {ESTALE, "the file server no longer knows it; the run can go on once it is there again"},
    {EROFS, "its file system can only be read: write elsewhere"},
    {EACCES, "you may not write there: see its owner and rights, or write elsewhere"},
    {EPERM, "you may not write there: see its owner and rights, or write elsewhere"},
    {EMFILE, "too many files are open: see `ulimit -n`"},
    {ENFILE, "too many files are open on this machine: see `sysctl fs.file-max`"},
    {ENOMEM, "memory is used up: end other programs, or ask for more memory"},
};

}  // namespace

std::string remedy_of_write(int error) {
  for (const Cause& cause : causes) {
    if (cause.error == error) return cause.remedy;
  }
  return "";
}

int cause_in(const std::string& message) {
  for (const Cause& cause : causes) {
    if (message.find(std::strerror(cause.error)) != std::string::npos) return cause.error;
  }
  return 0;
}

std::filesystem::path make_temporary_folder() {
  const char* named = ::getenv("TMPDIR");
  const std::filesystem::path place = named && *named ? named : "/tmp";
  std::error_code made;
  std::filesystem::create_directories(place, made);
  std::string folder = (place / "compeer-XXXXXX").string();
  if (!made && ::mkdtemp(folder.data())) return folder;
  throw Error(
      "TMPDIR",
      fmt::format("no file can be made in {}: {}", place.string(), made ? made.message() : std::strerror(errno)),
      "set TMPDIR to a folder that can be written: temporary files go there, those of mpirun too", Exit::failure);
}

std::filesystem::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  const auto cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (cache.is_absolute()) return cache / "compeer";
  return home.empty() ? home : home / ".cache" / "compeer";
}

}  // namespace compeer
