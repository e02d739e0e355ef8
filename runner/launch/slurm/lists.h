#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::launch {

/// What COMPEER_LOCKED is to be in a job: its lists of allowed plugins in full, which mean the same in any folder.
std::string lists_in_full(const std::vector<std::filesystem::path>& lists);

/// A job's ranks, on whatever host, need the lists that are in force. Throws Error (exit 2) for one that lies where
/// other hosts look in vain, in memory or in a folder for temporary files, unless `results` lies on the same file
/// system: other hosts need that, too.
void need_shared_lists(const std::vector<std::filesystem::path>& lists, const std::filesystem::path& results);

}  // namespace compeer::launch
