// A whole step of GRPO as runs do it, and the same over ranks and threads.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/scratch.h"
#include "tools/bench/bench.h"
#include "tools/bench/step_run.h"

namespace compeer::bench {

namespace {

using nlohmann::json;

json line(const std::string& bench, const StepLoad& load, const std::string& what, const std::string& unit,
          const std::vector<double>& values) {
  auto one = measurement(bench, what + ": " + load.text(), unit, spread(values));
  one.update(load.fields());
  return one;
}

// The slope of memory over the second half of a long run: what grows once all is warm.
std::vector<double> growth(const std::vector<double>& memory) {
  const size_t half = memory.size() / 2;
  return {100 * (memory.back() - memory[half]) / static_cast<double>(memory.size() - 1 - half)};
}

constexpr size_t kLong = 100;  // steps from which on growth is told

}  // namespace

std::vector<json> bench_grpo_step(const BenchOptions& options) {
  const StepLoad load(options);
  const Scratch scratch;
  write_step_model(load, scratch.folder());
  const auto times = run_steps(load, scratch.folder());

  std::vector<json> lines;
  const auto add = [&](const std::string& what, const std::string& unit, const std::vector<double>& values) {
    lines.push_back(line("grpo_step", load, what, unit, values));
  };
  auto rates = times.of("seconds/whole");
  for (double& value : rates) value = load.tokens() / value;
  add("a step", "s", times.of("seconds/whole"));
  add("new tokens", "tok/s", rates);
  for (const auto& phase : times.phases()) add(phase, "s", times.of("seconds/" + phase));
  add("share of log", "%", times.share("log"));
  add("share of reduce", "%", times.share("reduce"));
  add("completions", "tokens", times.of("length"));
  const auto& memory = times.of("peak_memory");
  add("peak memory", "MB", {memory.back()});
  if (memory.size() >= kLong) add("memory growth", "MB/100 steps", growth(memory));
  return lines;
}

std::vector<json> bench_scaling(const BenchOptions& options) {
  StepLoad load(options);
  const Scratch scratch;
  write_step_model(load, scratch.folder());
  std::vector<json> lines;
  double alone = 0;
  for (const auto& [ranks, threads] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {1, 2}, {2, 1}, {4, 1}}) {
    load.ranks = ranks, load.threads = threads;
    const auto times = run_steps(load, scratch.folder());
    lines.push_back(line("scaling", load, "a step", "s", times.of("seconds/whole")));
    const double median = lines.back().at("median");
    if (alone == 0) alone = median;
    // Efficiency against the processors that it could have had.
    const auto used = std::min<int64_t>(ranks * threads, ::sysconf(_SC_NPROCESSORS_ONLN));
    lines.back()["efficiency"] = alone / median / static_cast<double>(used);
    lines.back()["note"] = fmt::format("{:.2f} x one, {:.0f} % of {} processor{}; sums {:.1f} %", alone / median,
                                       100 * alone / median / static_cast<double>(used), used, used > 1 ? "s" : "",
                                       spread(times.share("reduce")).median);
  }
  return lines;
}

}  // namespace compeer::bench
