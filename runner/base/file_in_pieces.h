#pragma once
#include <filesystem>
#include <functional>
#include <string_view>

namespace compeer {

using WritePiece = std::function<void(std::string_view)>;

/// As write_file (files.h), of contents that `make` hands over piece by piece while they are written, so that they need
/// never be in memory as a whole. If it throws, no file is left.
void write_in_pieces(const std::filesystem::path& file, const std::function<void(const WritePiece& write)>& make);

}  // namespace compeer
