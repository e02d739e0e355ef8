#pragma once
#include <filesystem>
#include <string>

namespace compeer::plugin {

/// A copy of a library in memory that nobody can change any more, as a file for the loader: what was hashed is what is
/// opened, whatever happens to the file meanwhile. It stays until the process ends, like the library; the same bytes
/// are the same file. Throws std::runtime_error if the system has no memory for it.
std::filesystem::path sealed_copy(const std::string& name, const std::string& bytes, const std::string& sha256);

}  // namespace compeer::plugin
