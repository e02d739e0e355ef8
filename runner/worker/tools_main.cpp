// compeer-tools: commands that measure and verify. A program of its own, so that a first run has less to compile.
#include <map>

#include "base/error.h"
#include "conformance/worker/check_plugin.h"
#include "kernels/instruction_set.h"
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
#include "worker/call.h"
#include "worker/commands.h"
#include "worker/faults.h"

namespace compeer::worker {
namespace {

// By name; each function is declared in its own header.
const std::map<std::string, ModelCommand> commands{
    {"bench_allreduce", bench::bench_allreduce}, {"bench_generate", bench::bench_generate},
    {"bench_judging", bench::bench_judging},     {"bench_kernels", bench::bench_kernels},
    {"bench_model", bench::bench_model},         {"bench_prefix", bench::bench_prefix},
    {"bench_serve", bench::bench_serve},         {"bench_train", bench::bench_train},
    {"check_plugin", conformance::check_plugin}, {"verify", verify::verify},
    {"verify_device", verify::verify_device}};

int run(const std::string& name, const std::string& options) {
  const auto found = commands.find(name);
  if (found == commands.end()) throw Error("", "unknown model command '" + name + "'", "", Exit::usage);
  kernels::use_instruction_set_from_environment();
  return found->second(nlohmann::json::parse(options));
}

}  // namespace
}  // namespace compeer::worker

int main(int argc, char** argv) {
  compeer::worker::die_with_launcher();
  compeer::worker::run_and_exit([&] {
    if (argc != 3) throw compeer::Error("", "compeer-tools needs a command and its options", "", compeer::Exit::usage);
    return compeer::worker::run(argv[1], argv[2]);
  });
}
