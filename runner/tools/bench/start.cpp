// How long the programs take to start.
#include <filesystem>

#include "launch/program_output.h"
#include "tools/bench/bench.h"

namespace compeer::bench {

namespace {

nlohmann::json start_of(const std::filesystem::path& program, const std::string& option, const std::string& what) {
  const auto seconds = timed(20, [&] {
    launch::said_by(program.string(), launch::ask_program({program.string(), option}));
  });
  auto ms = seconds;
  for (double& value : ms) value *= 1000;
  return measurement("start", what, "ms", spread(ms));
}

}  // namespace

std::vector<nlohmann::json> bench_start(const BenchOptions&) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return {start_of(self, "--help", "compeer --help"),
          start_of(self.parent_path() / "compeer-worker", "--version", "compeer-worker --version")};
}

}  // namespace compeer::bench
