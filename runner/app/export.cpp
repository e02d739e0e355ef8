// compeer export: an adapter and its base as one model.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "base/error.h"
#include "base/model_folder.h"
#include "record/merge.h"

namespace compeer::app {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string adapter, base, out;
  bool merge = false;
};

int export_model(const ExportOptions& options) {
  const fs::path adapter = options.adapter;
  if (!fs::exists(adapter / "adapter_config.json"))
    throw Error(options.adapter, "holds no adapter_config.json",
                "a whole model needs no export: its folder is what other programs read", Exit::data);
  if (!options.merge)
    throw Error(options.adapter, "is an adapter's folder as peft reads it",
                "--merge adds it to the weights of its base", Exit::usage);
  const fs::path base = options.base.empty() ? base_model(adapter) : fs::path(options.base);
  record::merge_adapter(base, adapter, options.out);
  std::cout << fmt::format("{}: {} with the changes of {}\n", options.out, base.string(), options.adapter);
  return 0;
}

}  // namespace

void add_export(CLI::App& command, Action& action) {
  const auto options = std::make_shared<ExportOptions>();
  command.add_option("--model", options->adapter, "an adapter's folder: a checkpoint of a run with model.adapter")
      ->required()
      ->type_name("DIR");
  command.add_flag("--merge", options->merge, "add W + scaling B A to the base's weights");
  command.add_option("--base", options->base, "the model that it was made for; default: the one that it names")
      ->type_name("DIR");
  command.add_option("-o,--out", options->out, "the folder to write, which must not exist")
      ->required()
      ->type_name("DIR");
  command.callback([options, &action] { action = [options] { return export_model(*options); }; });
}

}  // namespace compeer::app
