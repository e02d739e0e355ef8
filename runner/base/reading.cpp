#include "base/reading.h"

#include <cerrno>
#include <cstring>

#include "base/disk.h"

namespace compeer {

namespace fs = std::filesystem;

bool is_system_failure(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
    case ENXIO:
      return false;
    default:
      return true;
  }
}

Error read_error(const fs::path& file, int error) {
  const bool failed = is_system_failure(error);
  return {file.string(), std::string("can't be read: ") + std::strerror(error), failed ? remedy_of_write(error) : "",
          failed ? Exit::failure : Exit::data};
}

std::ifstream open_to_read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw read_error(file, errno);
  return in;
}

void check_read(const std::ifstream& in, const fs::path& file) {
  if (in.bad()) throw read_error(file, errno);
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) entries.push_back(*it);
  if (code && code != std::errc::no_such_file_or_directory && code != std::errc::not_a_directory)
    throw read_error(folder, code.value());
  return entries;
}

std::vector<fs::directory_entry> entries_below(const fs::path& folder) {
  std::vector<fs::directory_entry> all;
  for (const auto& entry : entries_of(folder)) {
    all.push_back(entry);
    if (entry.is_symlink() || !entry.is_directory()) continue;
    const auto below = entries_below(entry.path());
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

}  // namespace compeer
