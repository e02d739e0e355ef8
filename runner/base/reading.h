#pragma once
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"

namespace compeer {

/// True if `error` (errno) means that the system failed (EIO, ESTALE, EMFILE, ENOMEM, ...). False if the path is at
/// fault: nothing is there, it is a folder, permission is denied.
bool is_system_failure(int error);

/// The Error of a file or folder that could not be opened or read, from errno: exit 1 with a remedy if the system
/// failed, exit 4 otherwise.
Error read_error(const std::filesystem::path& file, int error);

/// Opens a file for binary reading. Throws read_error().
std::ifstream open_to_read(const std::filesystem::path& file);

/// Throws read_error() if the last read of `in`, the stream of `file`, failed. Without this check a failed read looks
/// like the end of the file. To be called before errno changes.
void check_read(const std::ifstream& in, const std::filesystem::path& file);

/// The entries of a folder, in no order; empty if there is no such folder. Throws read_error().
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder);

/// The same, with the entries of folders within it. Links to folders are not followed.
std::vector<std::filesystem::directory_entry> entries_below(const std::filesystem::path& folder);

}  // namespace compeer
