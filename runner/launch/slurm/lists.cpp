#include "launch/slurm/lists.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/error.h"
#include "base/inside.h"

namespace compeer::launch {

namespace fs = std::filesystem;

namespace {

fs::path in_full(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

// Why other hosts don't see it, or "".
std::string unseen(const fs::path& file) {
  struct statfs system = {};
  if (::statfs(file.c_str(), &system) != 0) return "";
  if (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC) return "lies in this host's memory";
  for (const char* folder : {"/tmp", "/var/tmp"}) {
    if (lies_inside(folder, file)) return fmt::format("lies in {}, which each host has for itself", folder);
  }
  return "";
}

// The folder itself may not be there yet.
fs::path existing(fs::path folder) {
  std::error_code code;
  while (folder.has_relative_path() && !fs::exists(folder, code)) folder = folder.parent_path();
  return folder;
}

bool same_file_system(const fs::path& a, const fs::path& b) {
  struct stat of_a = {}, of_b = {};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev;
}

}  // namespace

std::string lists_in_full(const std::vector<fs::path>& lists) {
  std::string text;
  for (const auto& list : lists) text += (text.empty() ? "" : ":") + in_full(list).string();
  return text;
}

void need_shared_lists(const std::vector<fs::path>& lists, const fs::path& results) {
  for (const auto& list : lists) {
    const auto file = fs::weakly_canonical(in_full(list));
    const auto why = unseen(file);
    if (why.empty() || same_file_system(file, existing(in_full(results)))) continue;
    throw Error(list.string(), "plugin allow list can't be read by other hosts: it " + why,
                "put it beside the results, or into a folder that all hosts share", Exit::usage);
  }
}

}  // namespace compeer::launch
