#pragma once
#include <filesystem>
#include <string>

/// Folders of language models in the layout of Hugging Face transformers: config.json and *.safetensors, or for a LoRA
/// adapter adapter_config.json. Used to check the paths of models that users give.
namespace compeer {

/// True if the folder contains a LoRA adapter (adapter_config.json) and no model (config.json). Throws Error if the
/// folder can't be read: exit code 4 if the path is wrong, 1 if the system fails.
bool holds_adapter(const std::filesystem::path& folder);

/// Throws Error (exit code 4: no model) unless `folder` contains a model or an adapter. The Error's help says how to
/// get one: for a GGUF file or the name of a model on the Hugging Face Hub the command that imports or downloads it,
/// for the folder of a training run the path of its newest model.
void check_model_folder(const std::filesystem::path& folder);

/// Returns the help text for a `path` that does not exist, but looks like the name of a model on the Hugging Face Hub,
/// such as "Qwen/Qwen2.5-0.5B-Instruct": the command that downloads it. Otherwise empty.
std::string download_help(const std::string& path);

/// Returns the folder of the base model that an adapter was trained on, as adapter_config.json in `folder` names it. A
/// relative name is searched in the current folder, `folder`, its parent and $COMPEER_HOME, in this order. Returns
/// `folder` itself, unchecked, if it contains no adapter. Throws Error (exit code 4) if the base model is not found or
/// `folder` is a file.
std::filesystem::path base_model(const std::filesystem::path& folder);

/// Returns a fingerprint of a model's weights that does not require reading all of them: the SHA-256 of the name, size
/// and last MiB of every *.safetensors file in `folder`. Throws Error (exit code 4) if there are none.
std::string weights_fingerprint(const std::filesystem::path& folder);

}  // namespace compeer
