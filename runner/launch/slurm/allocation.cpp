// Resources of Slurm jobs: from options of the command line, the specs, and an estimate of memory.
#include "launch/slurm/allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "base/error.h"
#include "launch/worker_program.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::launch {

using nlohmann::json;

namespace {

constexpr int64_t minute = 60, hour = 60 * minute, day = 24 * hour;

void check_time(const SlurmOptions& options) {
  if (options.time.empty()) return;
  const auto seconds = slurm_seconds(options.time);
  if (!seconds) {
    throw Error("--time", fmt::format("'{}' is not a time limit in Slurm's format", options.time),
                "write minutes, HOURS:MINUTES:SECONDS or DAYS-HOURS: 90, 1:30:00, 1-12", Exit::usage);
  }
  if (*seconds >= 0 && *seconds <= options.signal) {
    throw Error("--time",
                fmt::format("{} is not longer than the {} seconds before its end at which the job is stopped",
                            options.time, options.signal),
                "increase --time, or reduce --signal SECONDS, the time for saving a checkpoint", Exit::usage);
  }
}

// Throws Error for options that determine ranks and threads. If sbatch got them twice, srun and the workers could use
// different values.
void refuse_own(const std::string& option) {
  const auto name = option.substr(0, option.find('='));
  const auto refuse = [&](const char* help) {
    throw Error("--sbatch", fmt::format("'{}' is already set by compeer submit", name), help, Exit::usage);
  };
  if (name == "--ntasks") refuse("use --ntasks N without --sbatch");
  if (name == "--nodes") refuse("use --nodes N without --sbatch");
  if (name == "--ntasks-per-node" || name == "--tasks-per-node") refuse("use --tasks-per-node N without --sbatch");
  if (name == "--cpus-per-task") refuse("set 'threads' of the experiment: --set threads=N");
}

bool is_memory(const std::string& option) {
  const auto name = option.substr(0, option.find('='));
  return name == "--mem" || name == "--mem-per-cpu" || name == "--mem-per-gpu";
}

bool is_gpus(const std::string& option) {
  const auto name = option.substr(0, option.find('='));
  return name == "--gres" || name.starts_with("--gpus") || name.starts_with("-G") || name.starts_with("--tres-per-");
}

constexpr double beyond = 1.25;  // factor for memory that is not estimated: MPI messages, rewards while they compute
constexpr double cuda = 4096;    // MiB for libraries and context of CUDA in a rank; a generous guess
constexpr double allocation_seconds = 180;  // seconds
constexpr int64_t rounded_to = 16;          // MiB

// Replaces numbers that don't affect memory: of a float, such as a learning rate, only whether it is 0 matters.
json value_size(const json& value) {
  if (value.is_number_float()) return value.get<double>() != 0;
  if (!value.is_structured()) return value;
  json sizes = value;
  for (auto& inner : sizes) inner = value_size(inner);
  return sizes;
}

std::string kind_of(const spec::Spec& spec) {
  auto values = spec.values;
  for (const char* key : {"name", "seed", "inputs"}) values.erase(key);
  return spec::canonical_json(value_size(values));
}

// Returns the worker's estimate for a rank in MiB, or 0 and sets `why_unknown`.
double estimated(const spec::Spec& spec, std::string& why_unknown) {
  const auto done = run_worker("estimate_memory", spec.file_text(),
                               training_environment(spec.values.at("threads").get<int64_t>()), allocation_seconds);
  std::istringstream lines(done.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("compeer: error: ")) why_unknown = line.substr(16);
  }
  const auto said = last_line(done.text, "mib");
  double mib = said.is_object() && said["mib"].is_number() ? said["mib"].get<double>() : 0;
  if (done.exit != 0 || mib <= 0) mib = 0;
  if (mib == 0 && why_unknown.empty()) why_unknown = fmt::format("the worker failed with exit code {}", done.exit);
  return mib;
}

}  // namespace

bool asks_for_gpus(const SlurmOptions& options) {
  return std::any_of(options.more.begin(), options.more.end(), is_gpus);
}

bool asks_for_memory(const SlurmOptions& options) {
  return !options.memory.empty() || std::any_of(options.more.begin(), options.more.end(), is_memory);
}

std::optional<int64_t> slurm_seconds(const std::string& time) {
  if (time == "UNLIMITED" || time == "INFINITE") return -1;
  static const std::regex with_days("([0-9]{1,6})-([0-9]{1,2})(?::([0-9]{1,2}))?(?::([0-9]{1,2}))?");
  static const std::regex without("([0-9]{1,6})(?::([0-9]{1,2}))?(?::([0-9]{1,2}))?");
  std::smatch match;
  const auto at = [&](size_t i) { return match[i].matched ? std::stoll(match[i].str()) : 0ll; };
  if (std::regex_match(time, match, with_days)) return at(1) * day + at(2) * hour + at(3) * minute + at(4);
  if (!std::regex_match(time, match, without)) return std::nullopt;
  if (match[3].matched) return at(1) * hour + at(2) * minute + at(3);
  return at(1) * minute + at(2);
}

void check_slurm_options(const SlurmOptions& options) {
  check_time(options);
  const bool all = options.nodes > 0 && options.tasks_per_node > 0 && options.tasks > 0;
  if (all && options.nodes * options.tasks_per_node != options.tasks) {
    throw Error("--ntasks",
                fmt::format("{} nodes with {} tasks each make {} tasks, not {}", options.nodes, options.tasks_per_node,
                            options.nodes * options.tasks_per_node, options.tasks),
                "omit one of --nodes, --tasks-per-node and --ntasks", Exit::usage);
  }
  static const std::regex memory("[0-9]{1,12}[KMGT]?");
  if (!options.memory.empty() && !std::regex_match(options.memory, memory)) {
    throw Error("--mem", fmt::format("'{}' is not a size in Slurm's format", options.memory),
                "write the memory of a node: 4000M, 64G; 0: all of its memory", Exit::usage);
  }
  for (const auto& option : options.more) {
    refuse_own(option);
    if (option.starts_with("--") && option.size() > 2) continue;
    throw Error("--sbatch", fmt::format("'{}' is not a long option of sbatch", option),
                "for example --sbatch=--qos=long", Exit::usage);
  }
}

std::vector<spec::Change> changes_of(const SlurmOptions& options) {
  if (options.tasks > 0) return {{"ranks", options.tasks, "--ntasks"}};
  if (options.nodes > 0 && options.tasks_per_node > 0)
    return {{"ranks", options.nodes * options.tasks_per_node, "--nodes, --tasks-per-node"}};
  return {};
}

Allocation allocation_for(const std::vector<spec::Spec>& specs, const SlurmOptions& options) {
  Allocation made;
  for (const auto& spec : specs) {
    made.tasks = std::max(made.tasks, spec.values.at("ranks").get<int64_t>());
    made.threads = std::max(made.threads, spec.values.at("threads").get<int64_t>());
  }
  made.nodes = options.nodes, made.tasks_per_node = options.tasks_per_node;
  made.time = options.time, made.partition = options.partition, made.account = options.account;
  made.signal = options.signal, made.more = options.more;
  if (!options.memory.empty()) made.memory = "--mem=" + options.memory;
  const auto refuse = [&](const std::string& what) {
    const auto name = specs.empty() ? std::string("the job") : specs[0].values.at("name").get<std::string>();
    throw Error(name, fmt::format("has {} rank{}, {}", made.tasks, made.tasks == 1 ? "" : "s", what),
                "set the number of ranks with --ntasks N, or in the script", Exit::usage);
  };
  if (made.nodes > made.tasks) refuse(fmt::format("too few for {} nodes", made.nodes));
  if (made.nodes > 0 && made.tasks_per_node > 0 && made.nodes * made.tasks_per_node != made.tasks)
    refuse(fmt::format("not {} x {}", made.nodes, made.tasks_per_node));
  return made;
}

int64_t mib_per_cpu(double rank_mib, int64_t threads) {
  const double each = beyond * rank_mib / static_cast<double>(threads);
  return static_cast<int64_t>(std::ceil(each / rounded_to)) * rounded_to;
}

MemoryNeed memory_need(const std::vector<spec::Spec>& specs) {
  MemoryNeed need;
  if (specs.empty()) need.why_unknown = "what the script runs is not known yet";
  std::set<std::string> asked;
  for (const auto& spec : specs) {
    if (!asked.insert(kind_of(spec)).second) continue;
    std::string why;
    double mib = estimated(spec, why);
    if (mib > 0 && spec::compute_settings(spec.values).device != "cpu") mib += cuda;
    if (mib == 0)
      return {0, fmt::format("{}: {}", spec.values.at("name").get<std::string>(), spec::printable(why, 300))};
    need.mib_per_cpu = std::max(need.mib_per_cpu, mib_per_cpu(mib, spec.values.at("threads").get<int64_t>()));
  }
  return need;
}

}  // namespace compeer::launch
