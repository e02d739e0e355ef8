// compeer serve: the worker answers (serve/command.h).
#include <algorithm>
#include <filesystem>
#include <set>

#include "app/commands.h"
#include "app/model_options.h"
#include "base/error.h"
#include "base/model_folder.h"
#include "language/text.h"
#include "launch/become_worker.h"

namespace compeer::app {

namespace {

constexpr const char* kFooter = R"(
POST /v1/chat/completions and GET /v1/models, as OpenAI's API has them; GET /health. The address that clients are given
is printed on standard output: http://127.0.0.1:8000/v1. Requests are decoded together, and what several begin with is
read once; no answer depends on its company. COMPEER_SERVE_TOKEN, if it is set, holds the token that requests must bring
(Authorization: Bearer ...); without it, only an address of this machine itself is served. The first Ctrl-C ends what is
under way, the second everything.)";

struct ServeOptions {
  ModelChoice model;
  std::string name, host = "127.0.0.1";
  std::vector<std::string> adapters;
  uint16_t port = 8000;
  int64_t concurrent = 64;
  double cache = 1;
  uint64_t seed = 1;
};

void check_name(const std::string& option, const std::string& name) {
  const bool plain = name == language::valid_utf8(name) &&
                     std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; });
  if (!plain || name.starts_with(' ') || name.ends_with(' '))
    throw Error(option, "is no name for a model", "text without line ends, and without spaces around it", Exit::usage);
}

// {"name", "folder"} of each NAME=DIR; of a DIR alone, an empty name.
nlohmann::json checked_adapters(const ServeOptions& options) {
  if (!options.adapters.empty() && options.model.engine == "libtorch")
    throw Error("--adapter", "does not go with --engine libtorch", "leave --engine exact", Exit::usage);
  if (!options.adapters.empty() && options.model.device == "cuda")
    throw Error("--adapter", "does not go with --device cuda", "several adapters are for the CPU", Exit::usage);
  auto all = nlohmann::json::array();
  std::set<std::string> names{options.name};
  for (const std::string& given : options.adapters) {
    const auto sign = holds_adapter(given) ? std::string::npos : given.find('=');
    const std::string name = sign == std::string::npos ? "" : given.substr(0, sign), folder = given.substr(sign + 1);
    const std::string option = "--adapter " + language::valid_utf8(given);
    check_name(option, name);
    if (!name.empty() && !names.insert(name).second)
      throw Error(option, "is the second model called " + name, "give each a name of its own", Exit::usage);
    if (std::error_code none; !std::filesystem::is_directory(folder, none))
      throw Error(option, folder + " is no folder", "", Exit::data);
    if (!holds_adapter(folder))
      throw Error(option, "the folder holds no adapter (adapter_config.json)",
                  holds_adapter(folder + "/checkpoints/last") ? "a run's newest is in its checkpoints/last" : "",
                  Exit::data);
    all.push_back({{"name", name}, {"folder", folder}});
  }
  return all;
}

int serve(const ServeOptions& options) {
  check_name("--name", options.name);
  auto all = options.model.checked();
  all.update({{"name", options.name},
              {"adapters", checked_adapters(options)},
              {"host", options.host},
              {"port", options.port},
              {"concurrent", options.concurrent},
              {"cache", options.cache},
              {"seed", options.seed}});
  if (!options.adapters.empty()) all["engine"] = "exact";  // so that `auto` is the CPU
  launch::become_worker("serve", all, options.model.threads);
}

}  // namespace

void add_serve(CLI::App& command, Action& action) {
  auto options = std::make_shared<ServeOptions>();
  options->model.add_to(command);
  command
      .add_option("--name", options->name,
                  "what requests call the model; default: its folder, a hash of files and arithmetic")
      ->type_name("NAME");
  command
      .add_option("--adapter", options->adapters,
                  "a LoRA adapter over the model's base, served beside it in the same passes on the CPU; once for each")
      ->type_name("[NAME=]DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--host", options->host, "the address to listen on")->type_name("ADDRESS")->capture_default_str();
  command.add_option("--port", options->port, "0: any that is free")->type_name("PORT")->capture_default_str();
  command.add_option("--concurrent", options->concurrent, "completions decoded at once; others wait")
      ->check(CLI::Range(1, 65536))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--cache", options->cache, "memory for keys and values that later requests may begin with")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("GIB")
      ->capture_default_str();
  command.add_option("--seed", options->seed, "of requests that bring none")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 62))
      ->type_name("S")
      ->capture_default_str();
  command.footer(kFooter);
  command.callback([options, &action] { action = [options] { return serve(*options); }; });
}

}  // namespace compeer::app
