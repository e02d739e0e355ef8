#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::contract {

/// A stack as backtrace_symbols_fd wrote it, for people: what lies between the first and the last function of `library`
/// (all of it if there is none), with names and lines of the source where addr2line is installed and knows them, and no
/// more lines than one cares to read.
std::vector<std::string> readable_stack(const std::vector<std::string>& frames, const std::filesystem::path& library);

}  // namespace compeer::contract
