#pragma once
#include <filesystem>

namespace compeer::record {

/// Writes a whole model to `out`, which must not exist: that of the adapter's `base` with W + scaling B A in the place
/// of the weights that it changes, in the type that they are stored in, and the adapter's own tokenizer where it has
/// one. Whole or not at all. Throws Error (exit 4) if adapter and base don't fit each other.
void merge_adapter(const std::filesystem::path& base, const std::filesystem::path& adapter,
                   const std::filesystem::path& out);

}  // namespace compeer::record
