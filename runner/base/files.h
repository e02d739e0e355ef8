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

/// Reading and writing of whole files, with errors that name the file and give advice. Functions that read throw
/// read_error(): Error with exit code 1 (a failure of the system, such as a broken disk) or 4 (invalid data: the path
/// is wrong). Functions that write throw Error with exit code 1.
namespace compeer {

/// Returns the contents of the file. Throws read_error() if it can't be read, Error (exit code 4) if it is a folder or
/// larger than `limit` bytes.
std::string read_file(const std::filesystem::path& file, uint64_t limit = UINT64_MAX);

/// Writes or replaces the file atomically and durably: a temporary file in the same folder, fsync, rename.
void write_file(const std::filesystem::path& file, std::string_view bytes);
/// Writes the file in the same way. Its contents are the concatenation of `pieces`, which is not built in memory.
void write_file(const std::filesystem::path& file, std::span<const std::string_view> pieces);

/// Flushes a file's contents to disk (fsync).
void sync_file(const std::filesystem::path& file);

/// Flushes the entries of `folder` to disk (fsync), so that a rename in it is durable.
void sync_folder(const std::filesystem::path& folder);

/// Function that appends bytes to the file that is being written.
using WritePiece = std::function<void(std::string_view)>;

/// Writes a file like write_file(). `make` produces the contents: it is called once and calls `write` for each piece,
/// in order, so that they need not fit in memory. If `make` throws, `file` is unchanged and no temporary file is left.
void write_in_pieces(const std::filesystem::path& file, const std::function<void(const WritePiece& write)>& make);

/// Like read_file(), for files in untrusted folders: also throws Error (exit code 4) for a pipe or a device, which
/// could be read without end.
std::string read_plain_file(const std::filesystem::path& file, uint64_t limit = UINT64_MAX);

/// Returns the reason why `file` is not a regular file, for messages: "does not exist" or "is not a regular file"; ""
/// if it is one.
std::string why_no_file(const std::filesystem::path& file);

/// True if `error` (errno) is a failure of the system (EIO, ESTALE, EMFILE, ENOMEM, ...). False if the path is wrong:
/// it does not exist, is a folder, or permission is denied.
bool is_system_failure(int error);

/// Returns (does not throw) the Error for a file or folder that could not be opened or read because of errno `error`:
/// with exit code 1 and advice if is_system_failure(error), otherwise with exit code 4.
Error read_error(const std::filesystem::path& file, int error);

/// Opens a file for binary reading. Throws read_error() if that fails.
std::ifstream open_to_read(const std::filesystem::path& file);

/// Throws read_error() if the last read from `in`, the stream of `file`, failed. Without this check a failed read looks
/// like the end of the file. Call it before errno changes.
void check_read(const std::ifstream& in, const std::filesystem::path& file);

/// Returns the entries of a folder in unspecified order; empty if `folder` does not exist or is not a folder. Throws
/// read_error() if it can't be read.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder);

/// Returns the entries of a folder and of all folders below it. Symbolic links are returned, but not followed.
std::vector<std::filesystem::directory_entry> entries_below(const std::filesystem::path& folder);

}  // namespace compeer
