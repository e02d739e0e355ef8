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

/// Returns the contents of the file. Throws read_error() (see below) if it can't be read, Error (exit 4) if it is a
/// folder or larger than `limit` bytes.
std::string read_file(const std::filesystem::path& file, uint64_t limit = UINT64_MAX);

/// Writes the file atomically and durably: a temporary file in the same folder, fsync, rename. Throws Error (exit 1)
/// that names the file.
void write_file(const std::filesystem::path& file, std::string_view bytes);
/// The same for the concatenation of `pieces`, which is not copied.
void write_file(const std::filesystem::path& file, std::span<const std::string_view> pieces);

/// Flushes a file's contents to disk (fsync). Throws Error (exit 1).
void sync_file(const std::filesystem::path& file);

/// Flushes the entries of `folder` to disk (fsync), so that a rename in it is durable. Throws Error (exit 1).
void sync_folder(const std::filesystem::path& folder);

using WritePiece = std::function<void(std::string_view)>;

/// Writes a file like write_file(), with contents that `make` produces by calling `write` once per piece, so that they
/// need not fit in memory. If `make` throws, `file` is unchanged and no temporary file is left.
void write_in_pieces(const std::filesystem::path& file, const std::function<void(const WritePiece& write)>& make);

/// Like read_file(), for files from untrusted folders: also throws Error (exit 4) for a pipe or a device, which could
/// be read without end.
std::string read_plain_file(const std::filesystem::path& file, uint64_t limit = UINT64_MAX);

/// Returns "does not exist" or "is not a regular file"; "" if `file` is a regular file.
std::string why_no_file(const std::filesystem::path& file);

/// True if `error` (errno) is a failure of the system (EIO, ESTALE, EMFILE, ENOMEM, ...). False if the path is wrong:
/// it does not exist, is a folder, or permission is denied.
bool is_system_failure(int error);

/// Returns the Error for a file or folder that could not be opened or read with errno `error`: exit 1, with advice, for
/// a system failure, exit 4 otherwise.
Error read_error(const std::filesystem::path& file, int error);

/// Opens a file for binary reading. Throws read_error().
std::ifstream open_to_read(const std::filesystem::path& file);

/// Throws read_error() if the last read from `in`, the stream of `file`, failed. Without this check a failed read looks
/// like the end of the file. Call it before errno changes.
void check_read(const std::ifstream& in, const std::filesystem::path& file);

/// Returns the entries of a folder in unspecified order; empty if there is no such folder. Throws read_error().
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder);

/// The same, recursively. Symbolic links are returned, but not followed.
std::vector<std::filesystem::directory_entry> entries_below(const std::filesystem::path& folder);

}  // namespace compeer
