// Benchmarks that run in a worker process because they need a model or the kernels, and the start-up time of the
// programs.
#include <filesystem>
#include <sstream>
#include <thread>

#include "base/disk.h"
#include "base/error.h"
#include "launch/process.h"
#include "launch/worker_program.h"
#include "tools/bench/bench.h"
#include "tools/bench/step_run.h"

namespace compeer::bench {

namespace {

using nlohmann::json;

json as_json(const BenchOptions& options, int threads) {
  return {{"size", options.size},       {"dtype", options.dtype},     {"threads", threads},
          {"batch", options.batch},     {"prompt", options.prompt},   {"new", options.new_tokens},
          {"seq", options.seq},         {"repeats", options.repeats}, {"group", options.group},
          {"prompts", options.prompts}, {"model", options.model},     {"prm", options.prm},
          {"orm", options.orm},         {"by", options.verdict_mode}, {"adapter", options.adapter},
          {"compute", options.compute}, {"device", options.device},   {"together", options.groups_per_reduction}};
}

std::vector<json> by_worker(const std::string& name, const BenchOptions& options, int threads,
                            const std::vector<std::string>& environment, std::vector<std::string> command = {}) {
  constexpr double patience = 3600;
  for (const auto& word : {launch::find_worker(), std::string("model"), name, as_json(options, threads).dump()})
    command.push_back(word);
  std::vector<json> lines;
  std::istringstream text(
      launch::output_or_throw("compeer-worker", launch::run_program(command, environment, patience)));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("{")) lines.push_back(json::parse(line));
  }
  return lines;
}

int all_threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

nlohmann::json start_of(const std::filesystem::path& program, const std::string& option, const std::string& what) {
  const auto seconds = timed(20, [&] {
    launch::output_or_throw(program.string(), launch::run_program({program.string(), option}));
  });
  auto ms = seconds;
  for (double& value : ms) value *= 1000;
  return measurement("start", what, "ms", spread(ms));
}

}  // namespace

std::vector<json> bench_kernels(const BenchOptions& options) {
  std::vector<json> lines;
  // Uses one process per number of threads: waiting threads of one library would slow down the other.
  std::vector<int> counts{1};
  if (options.threads > 0)
    counts = {options.threads};
  else if (all_threads() > 1)
    counts.push_back(all_threads());
  for (const int threads : counts) {
    for (auto& line : by_worker("bench_kernels", options, threads, launch::thread_environment(threads)))
      lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<json> bench_train(const BenchOptions& options) {
  const int threads = options.threads > 0 ? options.threads : all_threads();
  return by_worker("bench_train", options, threads, launch::training_environment(threads));
}

std::vector<json> bench_prefix(const BenchOptions& options) {
  const int threads = options.threads > 0 ? options.threads : 1;
  return by_worker("bench_prefix", options, threads, launch::training_environment(threads));
}

std::vector<json> bench_judging(const BenchOptions& options) {
  if (options.model.empty())
    throw Error("bench judging", "requires a judge", "add --model FOLDER, such as a run's checkpoints/last",
                Exit::usage);
  for (const auto& folder : {options.model, options.prm, options.orm}) {
    if (!folder.empty()) model_folder(folder);
  }
  const int threads = options.threads > 0 ? options.threads : 1;
  return by_worker("bench_judging", options, threads, launch::arithmetic_environment(threads));
}

std::vector<json> bench_allreduce(const BenchOptions& options) {
  std::vector<json> lines;
  std::vector<int64_t> counts{2, 4};
  if (options.ranks > 0) counts = {options.ranks};
  for (const int64_t ranks : counts) {
    for (auto& line :
         by_worker("bench_allreduce", options, 1, launch::rank_environment(ranks, 1), launch::rank_launcher(ranks, 1)))
      lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<json> bench_serve(const BenchOptions& options) {
  const Scratch scratch;
  write_step_model(StepLoad(options), scratch.folder());
  auto with_model = options;
  with_model.model = scratch.folder().string();
  const int threads = options.threads > 0 ? options.threads : all_threads();
  return by_worker("bench_serve", with_model, threads, launch::arithmetic_environment(threads));
}

std::vector<json> bench_generate(const BenchOptions& options) {
  const int threads = options.threads > 0 ? options.threads : all_threads();
  return by_worker("bench_generate", options, threads, launch::arithmetic_environment(threads));
}

std::vector<nlohmann::json> bench_start(const BenchOptions&) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return {start_of(self, "--help", "compeer --help"),
          start_of(self.parent_path() / "compeer-worker", "--version", "compeer-worker --version")};
}

}  // namespace compeer::bench
