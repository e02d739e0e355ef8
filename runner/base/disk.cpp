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
    {ENOSPC, "free disk space, then run the same command to continue"},
    {EDQUOT, "your disk quota is used up: free disk space, then run the same command to continue"},
    {EFBIG, "raise the limit on file size (ulimit -f)"},
    {EIO, "the disk or file server failed (see dmesg); resume the run once it works"},
    {ESTALE, "the file server lost the file (stale handle); resume the run once the file is accessible again"},
    {EROFS, "its file system is read-only: write elsewhere"},
    {EACCES, "you have no write permission: check owner and permissions, or write elsewhere"},
    {EPERM, "you have no write permission: check owner and permissions, or write elsewhere"},
    {EMFILE, "too many files are open: raise the limit (ulimit -n)"},
    {ENFILE, "too many files are open on this machine: raise the limit (sysctl fs.file-max)"},
    {ENOMEM, "memory is used up: stop other programs, or request more memory"},
};

}  // namespace

std::string write_error_help(int error) {
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
      fmt::format("can't create a file in {}: {}", place.string(), made ? made.message() : std::strerror(errno)),
      "set TMPDIR to a writable folder for temporary files, including those of mpirun", Exit::failure);
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
