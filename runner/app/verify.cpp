// compeer verify: compares computed values with reference files. The worker computes them (tools/verify/verify.h).
#include <filesystem>

#include "app/commands.h"
#include "base/error.h"
#include "launch/worker_program.h"

namespace compeer::app {

namespace {

struct VerifyCommandOptions {
  std::string folder, tokenizer;
  std::vector<std::string> models;
  bool json = false;
  int threads = 0;
};

// Parses NAME=FOLDER texts to {NAME: FOLDER}.
nlohmann::json models_of(const std::vector<std::string>& texts) {
  auto models = nlohmann::json::object();
  for (const auto& text : texts) {
    const auto at = text.find('=');
    if (at == 0 || at == text.npos || at + 1 == text.size())
      throw Error("--model", "'" + text + "' is not NAME=DIR", "for example --model smollm2=models/smollm2",
                  Exit::usage);
    const auto folder = text.substr(at + 1);
    std::error_code error;
    if (!std::filesystem::exists(folder, error)) throw Error(folder, "does not exist", "", Exit::data);
    models[text.substr(0, at)] = folder;
  }
  return models;
}

int verify(const VerifyCommandOptions& options) {
  for (const auto& folder : {options.folder, options.tokenizer}) {
    std::error_code error;
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
      throw Error(folder, "is not a folder", "", Exit::data);
  }
  launch::exec_worker("verify",
                      {{"folder", options.folder},
                       {"tokenizer", options.tokenizer},
                       {"models", models_of(options.models)},
                       {"json", options.json}},
                      options.threads);
}

}  // namespace

void add_verify(CLI::App& command, Action& action) {
  auto options = std::make_shared<VerifyCommandOptions>();
  command.add_option("DIR", options->folder, "a folder that is searched for reference files, with its subfolders")
      ->required();
  command.add_flag("--json", options->json, "one JSON object per line");
  command
      .add_option("--tokenizer", options->tokenizer,
                  "the folder of the tokenizer that the reference files with texts were made with")
      ->type_name("DIR");
  command
      .add_option("--model", options->models,
                  "the folder of the model that the reference files in the folder NAME were made with")
      ->type_name("NAME=DIR");
  command.add_option("--threads", options->threads, "number of threads; default: all processors")
      ->check(CLI::Range(1, 1024));
  command.callback([options, &action] { action = [options] { return verify(*options); }; });
}

}  // namespace compeer::app
