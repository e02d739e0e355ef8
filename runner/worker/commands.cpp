// Table of the commands of `compeer-worker model`.
#include "worker/commands.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "data/rescore.h"
#include "data/stats.h"
#include "inference/chat.h"
#include "inference/generate_and_score.h"
#include "kernels/instruction_set.h"
#include "serve/command.h"
#include "worker/hosts.h"
#include "worker/open_plugins.h"
#include "worker/preview.h"

namespace compeer::worker {

namespace {

// By name; each function is declared in its own header.
const std::map<std::string, ModelCommand> commands{{"about", about},
                                                   {"chat", inference::chat},
                                                   {"check_hosts", check_hosts},
                                                   {"data_stats", data::data_stats},
                                                   {"estimate_memory", estimate_memory},
                                                   {"generate", inference::generate},
                                                   {"open_plugins", preflight},
                                                   {"preview", preview},
                                                   {"rescore", data::rescore},
                                                   {"score", inference::score},
                                                   {"serve", serve::serve}};

[[noreturn]] void become_tools(const std::string& name, const std::string& options) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "compeer-tools";
  ::execl(program.c_str(), program.c_str(), name.c_str(), options.c_str(), nullptr);
  throw Error(program.string(), std::string("can't be started: ") + std::strerror(errno), "run ./compeer to build it",
              Exit::failure);
}

}  // namespace

int model_command(const std::string& name, const std::string& options) {
  const auto found = commands.find(name);
  if (found == commands.end()) become_tools(name, options);
  kernels::use_instruction_set_from_environment();
  return found->second(nlohmann::json::parse(options));
}

}  // namespace compeer::worker
