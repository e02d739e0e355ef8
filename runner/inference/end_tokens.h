#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

namespace compeer::inference {

/// The tokens that end what a model says: eos_token_id of generation_config.json, else of config.json, a number or a
/// list; none if neither names any. Throws Error (exit 4) naming the file if it is something else.
std::vector<int32_t> end_tokens(const std::filesystem::path& folder);

/// Those of an adapter's folder over `base`.
std::vector<int32_t> end_tokens(const std::filesystem::path& folder, const std::filesystem::path& base);

}  // namespace compeer::inference
