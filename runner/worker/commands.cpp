// Table of the commands of `compeer-worker model`.
#include "worker/commands.h"

#include <functional>
#include <map>

#include "base/error.h"
#include "contract/worker/check_plugin.h"
#include "data/rescore.h"
#include "data/stats.h"
#include "inference/chat.h"
#include "inference/generate_and_score.h"
#include "kernels/instruction_set.h"
#include "serve/command.h"
#include "tools/bench/worker/allreduce.h"
#include "tools/bench/worker/generate.h"
#include "tools/bench/worker/judging.h"
#include "tools/bench/worker/kernels.h"
#include "tools/bench/worker/model.h"
#include "tools/bench/worker/prefix.h"
#include "tools/bench/worker/serve.h"
#include "tools/bench/worker/train.h"
#include "tools/verify/device.h"
#include "tools/verify/verify.h"
#include "worker/hosts.h"
#include "worker/open_plugins.h"
#include "worker/preview.h"

namespace compeer::worker {

namespace {

using Command = int (*)(const nlohmann::json& options);

// By name; each function is declared in its own header.
const std::map<std::string, Command> commands{{"about", about},
                                              {"bench_allreduce", bench::bench_allreduce},
                                              {"bench_generate", bench::bench_generate},
                                              {"bench_judging", bench::bench_judging},
                                              {"bench_kernels", bench::bench_kernels},
                                              {"bench_model", bench::bench_model},
                                              {"bench_prefix", bench::bench_prefix},
                                              {"bench_serve", bench::bench_serve},
                                              {"bench_train", bench::bench_train},
                                              {"chat", inference::chat},
                                              {"check_hosts", check_hosts},
                                              {"check_plugin", contract::check_plugin},
                                              {"data_stats", data::data_stats},
                                              {"estimate_memory", estimate_memory},
                                              {"generate", inference::generate},
                                              {"open_plugins", open_plugins},
                                              {"preview", preview},
                                              {"rescore", data::rescore},
                                              {"score", inference::score},
                                              {"serve", serve::serve},
                                              {"verify", verify::verify},
                                              {"verify_device", verify::verify_device}};

}  // namespace

int model_command(const std::string& name, const nlohmann::json& options) {
  std::vector<std::string> known;
  for (const auto& [key, command] : commands) known.push_back(key);
  const auto found = commands.find(name);
  if (found == commands.end()) throw Error("", "no model command '" + name + "'", suggest(name, known), Exit::usage);
  kernels::obey_environment();
  return found->second(options);
}

}  // namespace compeer::worker
