// compeer bench: chooses benchmarks, adds the machine to their results, and prints or compares them.
#include "tools/bench/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/doctor/doctor.h"
#include "base/error.h"
#include "base/files.h"

namespace compeer::app {

namespace {

using nlohmann::json;

struct Bench {
  std::vector<json> (*run)(const bench::BenchOptions&);
  bool quick;              // runs if no benchmark is named
  bool on_device = false;  // supports devices other than the CPU
};
const std::map<std::string, Bench> benches{{"allreduce", {bench::bench_allreduce, false}},
                                           {"generate", {bench::bench_generate, true, true}},
                                           {"grpo_step", {bench::bench_grpo_step, true, true}},
                                           {"judging", {bench::bench_judging, false}},
                                           {"kernels", {bench::bench_kernels, false}},
                                           {"prefix", {bench::bench_prefix, false}},
                                           {"record", {bench::bench_record, true}},
                                           {"scaling", {bench::bench_scaling, false}},
                                           {"scoring", {bench::bench_scoring, false}},
                                           {"serve", {bench::bench_serve, false}},
                                           {"start", {bench::bench_start, true}},
                                           {"train", {bench::bench_train, true, true}}};

struct BenchCommandOptions {
  std::vector<std::string> names;
  bench::BenchOptions bench;
  std::string baseline;  // file of earlier results; empty: no comparison
  bool json = false;
};

json machine() {
  const auto processor = this_processor();
  const auto usable = this_machine();
  return {{"cores", usable.cores.size()},
          {"memory_bytes", usable.memory},
          {"processor", bench::processor_kind(processor.avx512, processor.bfloat16, read_file("/proc/cpuinfo"))},
          {"version", COMPEER_VERSION}};
}

void print_measurement(const json& line) {
  std::cout << fmt::format("{:<9} {:<56} {:>10.4g} {:>10.4g} {:>10.4g}  {}{}\n", line.at("bench").get<std::string>(),
                           line.at("what").get<std::string>(), line.at("min").get<double>(),
                           line.at("median").get<double>(), line.at("max").get<double>(),
                           line.at("unit").get<std::string>(),
                           line.contains("note") ? ", " + line.at("note").get<std::string>() : "")
            << std::flush;
}

std::vector<std::string> chosen(const BenchCommandOptions& options) {
  const bool on_cpu = options.bench.device == "cpu";
  std::vector<std::string> known, on_device, quick;
  for (const auto& [name, bench] : benches) {
    known.push_back(name);
    if (bench.on_device) on_device.push_back(name);
    if (bench.quick && (on_cpu || bench.on_device)) quick.push_back(name);
  }
  for (const auto& name : options.names) {
    if (!benches.contains(name)) throw Error("", "no benchmark '" + name + "'", suggest(name, known), Exit::usage);
    if (!on_cpu && !benches.at(name).on_device)
      throw Error("--device " + options.bench.device, "is not supported by bench " + name + ", which measures the CPU",
                  fmt::format("use it with {}", fmt::join(on_device, ", ")), Exit::usage);
  }
  return options.names.empty() ? quick : options.names;
}

int run_benchmarks(const BenchCommandOptions& options) {
  bool headed = options.json;
  std::optional<bench::BenchBaseline> baseline;
  if (!options.baseline.empty()) baseline.emplace(options.baseline);
  for (const auto& name : chosen(options)) {
    for (json line : benches.at(name).run(options.bench)) {
      if (!headed)
        std::cout << fmt::format("{:<9} {:<56} {:>10} {:>10} {:>10}\n", "bench", "what", "min", "median", "max");
      headed = true;
      line["machine"] = machine();
      if (baseline)
        line["note"] = (line.contains("note") ? line["note"].get<std::string>() + ", " : "") + baseline->compare(line);
      if (!options.json) {
        print_measurement(line);
        continue;
      }
      std::cout << line.dump() << std::endl;
    }
  }
  return 0;
}

}  // namespace

void add_bench(CLI::App& command, Action& action) {
  auto options = std::make_shared<BenchCommandOptions>();
  command.add_option(
      "NAME", options->names,
      "start (start-up of the programs), record (cost of logging), kernels (matrix products, compared with\n"
      "libtorch's), generate (a model's prefill and decoding), train (its forward and backward pass and\n"
      "AdamW), grpo_step (a whole training step, by phase), prefix (gain from shared prompts), judging (time\n"
      "of a judge's rounds), scaling (a step over ranks and threads), scoring (a step with judges behind a\n"
      "slow endpoint), serve (requests over HTTP, compared with generate), allreduce (sums over ranks,\n"
      "compared with MPI's own); default: start, record, generate, train and grpo_step");
  auto& bench = options->bench;
  const CLI::Range any(int64_t{1}, int64_t{1} << 20);
  command.add_option("--size", bench.size, "size of the model")
      ->check(CLI::IsMember({"toy", "small", "0.5b", "7b"}))
      ->capture_default_str();
  command.add_option("--dtype", bench.dtype, "generate: type of the weights")
      ->check(CLI::IsMember({"fp32", "bf16", "q8_0", "q4_0"}))
      ->capture_default_str();
  command
      .add_option("--compute", bench.compute, "generate, train, steps: precision of the operands of matrix products")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->capture_default_str();
  command.add_option("--device", bench.device, "generate, train, grpo_step: device that computes")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--threads", bench.threads, "number of threads; default: all, steps: 1")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--batch", bench.batch,
                  "generate, train: sequences; 16, or 4 at 0.5b; serve: concurrent requests, 32")
      ->check(any);
  command.add_option("--prompt", bench.prompt, "tokens of each prompt; generate: 128, steps: 64, prefix: twice --new")
      ->check(any);
  command.add_option("--new", bench.new_tokens, "tokens of each completion; 64, or 32 at 0.5b")->check(any);
  command.add_option("--prompts", bench.prompts, "steps: prompts; 8, or 4 at 0.5b; judging: 16")->check(any);
  command.add_option("--group", bench.group, "completions of each prompt; generate: 1, steps, judging: 4, prefix: 8")
      ->check(any);
  command
      .add_option("--together", bench.groups_per_reduction,
                  "steps: prompt groups that a rank accumulates before the reduction, 1;\n"
                  "train: micro-batch size in sequences, 8")
      ->check(any);
  command.add_option("--steps", bench.steps, "steps: number of steps; 6, or 2 at 0.5b")->check(any);
  command.add_option("--ranks", bench.ranks, "number of ranks; grpo_step: 1, allreduce: 2")->check(CLI::Range(1, 64));
  command.add_option("--seq", bench.seq, "train: tokens of each sequence; 192, or 128 at 0.5b")->check(any);
  command.add_option("--repeats", bench.repeats, "number of repetitions; 5, or 1 at 0.5b; judging: 7")->check(any);
  command.add_option("--model", bench.model,
                     "model folder that replaces --size; generate, train, grpo_step: the model; judging: the judge; "
                     "scoring: the policy");
  command
      .add_option("--adapter", bench.adapter,
                  "train, grpo_step: train a LoRA adapter of this rank instead of the model")
      ->check(any);
  command.add_option("--prm", bench.prm, "judging: model folder of the judge of steps; default: --model");
  command.add_option("--orm", bench.orm, "judging: model folder of the judge of replies; default: --model");
  command
      .add_option("--by", bench.verdict_mode,
                  "judging: judge by the generated answer, or by the likelihood of each answer")
      ->check(CLI::IsMember({"answer", "likelihood"}))
      ->capture_default_str();
  command
      .add_option("--baseline", options->baseline,
                  "compare with earlier measurements: a file of lines that --json printed")
      ->check(CLI::ExistingFile);
  command.add_flag("--json", options->json, "print one JSON object per line, with the machine");
  command.callback([options, &action] { action = [options] { return run_benchmarks(*options); }; });
}

}  // namespace compeer::app
