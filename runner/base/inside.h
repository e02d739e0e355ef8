#pragma once
#include <filesystem>

/// Security checks of paths: whether a file lies in a given folder, and whether a folder that may come from another
/// person contains links that lead out of it.
namespace compeer {

/// True if `path` is `folder` or lies in it after symbolic links are resolved. Components that do not exist yet are
/// taken as written.
bool is_inside_resolved(const std::filesystem::path& folder, const std::filesystem::path& path);

/// True if `path` is `folder` or lies in it by name (no `..` leaves it). Symbolic links are not resolved: links that
/// the folder's owner made may point anywhere.
bool is_inside_lexically(const std::filesystem::path& folder, const std::filesystem::path& path);

/// Returns the path of the first entry below a folder, at any depth, that is neither a regular file nor a folder: a
/// symbolic link, pipe or device. Links to a file or folder next to them (`last` -> `step-000120`) can't leave the
/// folder and are allowed. Returns an empty path if there is no such entry.
std::filesystem::path find_special_file(const std::filesystem::path& folder);

/// Throws Error (exit code 4: refused data) if find_special_file() finds an entry. Called before a run writes to an
/// existing, untrusted folder.
void refuse_links(const std::filesystem::path& folder);

}  // namespace compeer
