#include "app/model/model_commands.h"

#include <functional>
#include <map>

#include "app/model/about.h"
#include "app/model/bench_allreduce.h"
#include "app/model/bench_generate.h"
#include "app/model/bench_judging.h"
#include "app/model/bench_kernels.h"
#include "app/model/bench_model.h"
#include "app/model/bench_prefix.h"
#include "app/model/bench_train.h"
#include "app/model/check/check_plugin.h"
#include "app/model/data_stats.h"
#include "app/model/estimate_memory.h"
#include "app/model/open_plugins.h"
#include "app/model/rescore.h"
#include "base/error.h"
#include "inference/chat.h"
#include "inference/generate.h"
#include "inference/score.h"
#include "verify/verify.h"

namespace compeer::app {

namespace {

using Command = int (*)(const nlohmann::json& options);

// One line for each, declared in its own header.
const std::map<std::string, Command> kCommands{{"about", about},
                                               {"bench_allreduce", bench_allreduce},
                                               {"bench_generate", bench_generate},
                                               {"bench_judging", bench_judging},
                                               {"bench_kernels", bench_kernels},
                                               {"bench_model", bench_model},
                                               {"bench_prefix", bench_prefix},
                                               {"bench_train", bench_train},
                                               {"chat", inference::chat},
                                               {"check_plugin", check_plugin},
                                               {"data_stats", data_stats},
                                               {"estimate_memory", estimate_memory},
                                               {"generate", inference::generate},
                                               {"open_plugins", open_plugins},
                                               {"rescore", rescore},
                                               {"score", inference::score},
                                               {"verify", verify::verify}};

}  // namespace

int model_command(const std::string& name, const nlohmann::json& options) {
  std::vector<std::string> known;
  for (const auto& [key, command] : kCommands) known.push_back(key);
  const auto found = kCommands.find(name);
  if (found == kCommands.end()) throw Error("", "no model command '" + name + "'", suggest(name, known), Exit::usage);
  return found->second(options);
}

}  // namespace compeer::app
