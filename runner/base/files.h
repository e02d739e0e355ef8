#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

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

}  // namespace compeer
