#pragma once
#include <filesystem>
#include <string>

namespace compeer {

/// True for a folder that holds an adapter (adapter_config.json) and no model of its own (config.json).
bool holds_adapter(const std::filesystem::path& folder);

/// Throws Error (exit 4) unless `folder` holds a model or an adapter. The help is the next command where `folder` is a
/// GGUF file, the name of a model on the Hugging Face Hub, or the folder of a run.
void check_model_folder(const std::filesystem::path& folder);

/// The help for a `path` that is not there and may be the name of a model on the Hugging Face Hub, as
/// "Qwen/Qwen2.5-0.5B-Instruct" is. Otherwise empty.
std::string download_help(const std::string& path);

/// The folder with a model's config.json and weights: `folder` itself, or, of an adapter's, the model that it names, as
/// seen from the current folder, beside the adapter, or from $COMPEER_HOME. Throws Error (exit 4) if there is none.
std::filesystem::path base_model(const std::filesystem::path& folder);

/// SHA-256 that tells the weights of one model from those of another without reading all of them: of the name, the size
/// and the last MiB of every *.safetensors file in `folder`. Throws Error (exit 4) if there are none.
std::string weights_mark(const std::filesystem::path& folder);

}  // namespace compeer
