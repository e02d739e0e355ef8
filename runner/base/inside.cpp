// Checks that keep a run's files inside its own folder, even if the folder was made by someone else.
#include "base/inside.h"

#include <algorithm>

#include "base/files.h"

namespace compeer {

namespace fs = std::filesystem;

namespace {

// Removes a trailing slash: "/x/" -> "/x".
fs::path without_slash(const fs::path& path) {
  return path.has_filename() || !path.has_relative_path() ? path : path.parent_path();
}

// Returns the absolute path with symbolic links resolved, as far as its components exist.
fs::path whole(const fs::path& path) { return without_slash(fs::weakly_canonical(fs::absolute(path))); }

bool begins_with(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

// True if the target of `link` is a plain name in the same folder and not a link itself. It need not exist.
bool stays(const fs::path& link) {
  const auto target = fs::read_symlink(link);
  const bool name = target.has_filename() && !target.has_parent_path() && target != "." && target != "..";
  const auto kind = fs::symlink_status(link.parent_path() / target).type();
  return name &&
         (kind == fs::file_type::directory || kind == fs::file_type::regular || kind == fs::file_type::not_found);
}

}  // namespace

bool is_inside_resolved(const fs::path& folder, const fs::path& path) {
  return begins_with(whole(path), whole(folder));
}

bool is_inside_lexically(const fs::path& folder, const fs::path& path) {
  const auto plain = [](const fs::path& any) {
    return without_slash((any.empty() ? fs::current_path() : fs::absolute(any)).lexically_normal());
  };
  return begins_with(plain(path), plain(folder));
}

fs::path find_special_file(const fs::path& folder) {
  for (const auto& entry : entries_below(folder)) {
    const auto kind = entry.symlink_status().type();
    const bool plain = kind == fs::file_type::regular || kind == fs::file_type::directory;
    if (!plain && !(kind == fs::file_type::symlink && stays(entry.path()))) return entry.path();
  }
  return {};
}

void refuse_links(const fs::path& folder) {
  const auto found = find_special_file(folder);
  if (found.empty()) return;
  throw Error(found.string(), "is a link, a pipe or a device, but a run writes into its own folder only",
              "replace it with a regular file, or start over under another name", Exit::data);
}

}  // namespace compeer
