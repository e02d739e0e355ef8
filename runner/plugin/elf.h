#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace compeer::plugin {

/// The bytes of one section of an ELF64 little-endian file, found without loading the file: none of its code runs.
/// Every offset and size is checked against `bytes` before it is used. A file that is no such ELF file, is cut off,
/// contradicts itself or lacks the section gives Error (exit 5) with `file` as its place.
std::string_view elf_section(std::string_view bytes, std::string_view section, const std::filesystem::path& file);

}  // namespace compeer::plugin
