#pragma once
#include <filesystem>

namespace compeer {

/// True for a folder that holds an adapter (adapter_config.json) and no model of its own (config.json).
bool holds_adapter(const std::filesystem::path& folder);

/// The folder with a model's config.json and weights: `folder` itself, or, of an adapter's, the model that it names, as
/// seen from the current folder, beside the adapter, or from $COMPEER_HOME. Throws Error (exit 4) if there is none.
std::filesystem::path base_model(const std::filesystem::path& folder);

}  // namespace compeer
