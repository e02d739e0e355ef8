// compeer verify: our numbers against reference files. The worker computes them (verify/verify.h).
#include <filesystem>

#include "app/commands.h"
#include "base/error.h"
#include "launch/become_worker.h"

namespace compeer::app {

namespace {

struct VerifyCommandOptions {
  std::string folder, tokenizer;
  bool json = false;
  int threads = 0;
};

int verify(const VerifyCommandOptions& options) {
  for (const auto& folder : {options.folder, options.tokenizer}) {
    std::error_code error;
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
      throw Error(folder, "is no folder", "", Exit::data);
  }
  launch::become_worker("verify",
                        {{"folder", options.folder}, {"tokenizer", options.tokenizer}, {"json", options.json}},
                        options.threads);
}

}  // namespace

void add_verify(CLI::App& command, Action& action) {
  auto options = std::make_shared<VerifyCommandOptions>();
  command.add_option("dir", options->folder, "a folder; reference files are looked for in it and below")
      ->required()
      ->type_name("DIR");
  command.add_flag("--json", options->json, "one JSON object per line");
  command.add_option("--tokenizer", options->tokenizer, "the tokenizer that reference files of texts were made with")
      ->type_name("DIR");
  command.add_option("--threads", options->threads, "default: all processors")->check(CLI::Range(1, 1024));
  command.callback([options, &action] { action = [options] { return verify(*options); }; });
}

}  // namespace compeer::app
