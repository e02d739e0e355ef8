#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace compeer {

/// Returns the whole file as bytes. Throws read_error() (reading.h), and Error (exit 4) if it is larger than `limit`.
std::string read_file(const std::filesystem::path& file, uint64_t limit = UINT64_MAX);

/// Writes whole or not at all: a temporary file beside it, fsync, rename. Throws Error (exit 1) naming it.
void write_file(const std::filesystem::path& file, std::string_view bytes);
/// The same for contents in several pieces, so that they need not be copied together.
void write_file(const std::filesystem::path& file, std::span<const std::string_view> pieces);

/// Makes a file's contents durable.
void sync_file(const std::filesystem::path& file);

/// Makes a rename within `folder` durable.
void sync_folder(const std::filesystem::path& folder);

using WritePiece = std::function<void(std::string_view)>;

/// As write_file (files.h), of contents that `make` hands over piece by piece while they are written, so that they need
/// never be in memory as a whole. If it throws, no file is left.
void write_in_pieces(const std::filesystem::path& file, const std::function<void(const WritePiece& write)>& make);

/// As read_file (files.h), of a file in a folder that somebody else may have made: a pipe or a device, whose reading
/// might never end, is refused.
std::string read_plain_file(const std::filesystem::path& file, uint64_t limit = UINT64_MAX);

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
