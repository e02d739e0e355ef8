#pragma once
#include <filesystem>
#include <string>

namespace compeer {

/// True if the folder contains a LoRA adapter (adapter_config.json) and no model (config.json). Throws read_error()
/// (files.h) if the folder can't be read.
bool holds_adapter(const std::filesystem::path& folder);

/// Throws Error (exit 4) unless `folder` contains a model or an adapter. If `folder` is a GGUF file or the name of a
/// model on the Hugging Face Hub, the help is the command that imports or downloads it; for a run folder it is the path
/// of its newest model.
void check_model_folder(const std::filesystem::path& folder);

/// Returns the help for a `path` that does not exist, but looks like the name of a model on the Hugging Face Hub, such
/// as "Qwen/Qwen2.5-0.5B-Instruct": the command that downloads it. Otherwise empty.
std::string download_help(const std::string& path);

/// Returns the folder of the base model that the adapter in `folder` names. A relative name is resolved against the
/// current folder, `folder`, its parent and $COMPEER_HOME, in this order. Returns `folder` itself, unchecked, if it
/// contains no adapter. Throws Error (exit 4) if the base model is not found or `folder` is a file.
std::filesystem::path base_model(const std::filesystem::path& folder);

/// Returns a fingerprint of a model's weights that does not require reading all of them: the SHA-256 of the name, size
/// and last MiB of every *.safetensors file in `folder`. Throws Error (exit 4) if there are none.
std::string weights_fingerprint(const std::filesystem::path& folder);

}  // namespace compeer
