// Estimates the memory of a rank and of its device before the first step. Constants marked "measured" were fitted to
// measurements.
#include "train/metrics/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>

#include "base/error.h"
#include "base/pages.h"
#include "inference/device.h"
#include "kernels/logprob.h"
#include "kernels/weight.h"
#include "train/metrics/placement.h"

namespace compeer::train {

namespace {

constexpr double mib = 1024 * 1024;
constexpr double bytes = 4;                                                      // per number (float32)
constexpr double kept_logits = kernels::kept_logit_count * sizeof(float) / mib;  // tiles saved for the backward pass
constexpr double kept_rows = 16, rows_again = 2;  // saved hidden rows per token and layer; with checkpointing
constexpr double libtorch_logits = 3;             // copies of the logits in forward and backward pass, measured
constexpr double buffers = 24;                    // MiB, measured
constexpr double between = 0.5;                   // fragmentation, as a fraction of temporary memory, measured
constexpr int64_t looked_at = 8;                  // number of records to find the longest of
constexpr double keep_above = 1.25;               // copies are kept if this multiple of the estimate is free

// Resident memory of this process, in MiB.
double resident() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

// The part of mapped weight files that is not in memory yet, in MiB.
double unread_weights() {
  std::ifstream file("/proc/self/smaps");
  double sum = 0;
  bool weights = false;
  for (std::string line; std::getline(file, line);) {
    if (line.find('-') < line.find(' ')) weights = line.ends_with(".safetensors");  // "7f00-7f80 r--p ... /a/file"
    if (weights && line.starts_with("Size:")) sum += std::stod(line.substr(5)) / 1024;
    if (weights && line.starts_with("Rss:")) sum -= std::stod(line.substr(4)) / 1024;
  }
  return sum;
}

bool recomputed(const Settings& model, int64_t learned) {
  return model.has("recompute_above") && learned > model.integer("recompute_above");
}

TrainedWeights learner_of(Model& model) {
  TrainedWeights learner{0, !model.head().requires_grad()};
  for (const auto& one : model.parameters()) learner.weights += one.value.numel();
  return learner;
}

std::string size(double mebibytes) {
  return mebibytes < 10000 ? fmt::format("{:.{}f} MiB", mebibytes, mebibytes < 10 ? 1 : 0)
                           : fmt::format("{:.1f} GiB", mebibytes / 1024);
}

struct HostMemory {
  double wanted = 0, free = 0;  // MiB; free: 0 if unknown
};

// Needed and free memory of each host, if each of its ranks needs `more` MiB.
std::map<std::string, HostMemory> on_hosts(const std::vector<Placement>& placements, double more) {
  std::map<std::string, HostMemory> hosts;
  for (const Placement& placement : placements) {
    auto& host = hosts[placement.host];
    host.wanted += more;
    host.free = static_cast<double>(placement.machine.free) / mib;
  }
  return hosts;
}

void warn(const std::vector<Placement>& placements, double more) {
  for (const auto& [host, memory] : on_hosts(placements, more)) {
    if (memory.free == 0 || memory.wanted <= memory.free) continue;
    fmt::print(stderr,
               "compeer: warning: host {} has {} of memory free, but its ranks may need {} more; see docs/running.md, "
               "\"When memory is short\"\n",
               host, size(memory.free), size(memory.wanted));
  }
}

}  // namespace

double peak_memory() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

int64_t gradients_of(int64_t leaves, bool in_one_pass) {
  const int64_t nodes = std::bit_width(static_cast<uint64_t>(leaves));  // unfinished nodes, the next leaf included
  return std::max<int64_t>(nodes - (in_one_pass ? 1 : 0), 1);
}

int64_t kv_tokens(int64_t prompts, int64_t length, int64_t group_size, const rollout::Sampling& sampling) {
  const auto whole = [](int64_t n) { return (n + Cache::page - 1) / Cache::page * Cache::page; };
  const int64_t sequences = std::min(prompts * group_size, sampling.concurrent);
  const int64_t read = std::min(prompts, sequences / group_size + 1);
  return read * whole(length) + sequences * whole(sampling.max_new_tokens);
}

MemoryEstimate estimate_memory(const ModelShape& shape, const TrainedWeights& learner, const PeakMemory& demand,
                               bool recomputed, bool keeping, double now) {
  const auto weights = bytes * static_cast<double>(learner.weights) / mib;
  const auto tokens = static_cast<double>(demand.tokens_per_pass);
  const double rows = recomputed ? rows_again : kept_rows;
  MemoryEstimate sizes;
  sizes.now = now;
  if (shape.exact) sizes.repacked = shape.bfloat16_weights ? weights / 2 : weights;
  sizes.gradients = weights * static_cast<double>(demand.gradients);
  if (demand.kept) {
    sizes.gradients += weights;  // the array of `in_one_pass` is then allocated in full, too
  } else if (!learner.adapter && demand.tokens_per_pass >= 4 * kernels::min_rows_unpacked) {
    // Trainable weights have no repacked copy while many rows are differentiated. A micro-batch may be smaller than
    // `tokens_per_pass`, hence the factor of 4.
    sizes.repacked = std::max(0.0, sizes.repacked - sizes.gradients);
  }
  sizes.activations = bytes * tokens * rows * static_cast<double>(shape.layers * shape.hidden) / mib;
  double logits = std::min(kept_logits, bytes * tokens * static_cast<double>(shape.vocabulary) / mib);
  if (!shape.exact) {
    auto kept = shape;
    kept.compute = at::kFloat;  // measured on CPUs: the same for both types
    sizes.activations = device_memory(kept, learner, demand, recomputed).activations;
    logits *= libtorch_logits;
  }
  sizes.activations += logits;
  sizes.pages =
      2 * bytes * static_cast<double>(demand.positions * shape.layers * shape.kv_heads * shape.head_dim) / mib;
  sizes.rest =
      buffers + (keeping ? between * (sizes.added() - sizes.gradients) : 0);  // gradients are separate mappings
  return sizes;
}

std::string memory_text(const MemoryEstimate& sizes) {
  return fmt::format(
      "memory of a rank, estimated: {} = {} in use + repacked weights {} + gradients {} + activations {} + KV cache {} "
      "+ buffers and fragmentation {}",
      size(sizes.all()), size(sizes.now), size(sizes.repacked), size(sizes.gradients), size(sizes.activations),
      size(sizes.pages), size(sizes.rest));
}

MemoryEstimate rank_memory(RunContext& run, PeakMemory demand) {
  auto& model = run.plugins->model().object();
  const bool on_cpu = inference::device_in_use() == "cpu";
  demand.kept = demand.kept && on_cpu;  // host copies of a device's gradients stay allocated in any case
  const char* allocation = std::getenv("GLIBC_TUNABLES");
  const bool keeping = allocation && std::string_view(allocation).find("trim_threshold") != std::string_view::npos;
  auto sizes = estimate_memory(model.shape(), learner_of(model), demand,
                               recomputed(run.spec.table("model"), demand.tokens_per_pass), keeping, resident());
  if (!on_cpu) {
    sizes.repacked = sizes.activations = sizes.pages = 0;                                        // on the device
    if (demand.gradients > 0) sizes.gradients *= 1 + 1 / static_cast<double>(demand.gradients);  // no `in_one_pass`
  } else if (!model.shape().exact) {
    sizes.repacked = unread_weights();  // libtorch uses the mapped weights without a repacked copy
  }
  return sizes;
}

namespace {

// Collective. Every rank checks its own device; the line is rank 0's.
void report_device_memory(RunContext& run, const PeakMemory& demand) {
  auto& model = run.plugins->model().object();
  const auto sizes = device_memory(model.shape(), learner_of(model), demand,
                                   recomputed(run.spec.table("model"), demand.tokens_per_pass));
  const auto gpu = inference::gpu_in_use();
  if (run.world.rank() == 0)
    fmt::print(stderr, "compeer: {}\n", device_memory_text(sizes, static_cast<double>(gpu.memory - gpu.free) / mib));
  run.world.run_on_all_ranks("check device memory",
                             [&] { check_device_memory(sizes, static_cast<double>(gpu.free) / mib); });
}

}  // namespace

bool hosts_have(const std::vector<Placement>& placements, double more) {
  const char* const jobs = std::getenv("COMPEER_JOBS");
  const double runs = jobs ? std::max(1.0, std::atof(jobs)) : 1;
  return std::ranges::all_of(on_hosts(placements, runs * more),
                             [](const auto& host) { return host.second.wanted <= host.second.free; });
}

void keep_copies(Model& model, bool keep) {
  pages_kept = keep;
  if (auto* const copies = dynamic_cast<CopiesWeights*>(&model)) copies->keep_copies(keep);
}

void report_memory(RunContext& run, PeakMemory demand) {
  const bool on_cpu = inference::device_in_use() == "cpu";
  if (!on_cpu) report_device_memory(run, demand);
  const auto placements = gather_placements(run.world);
  auto sizes = rank_memory(run, demand);
  const double wanted = demand.kept && on_cpu ? keep_above * sizes.added() : 0;
  demand.kept = run.world.any(run.world.rank() == 0 && wanted > 0 && hosts_have(placements, wanted));
  keep_copies(run.plugins->model().object(), demand.kept);
  if (run.world.rank() != 0) return;
  std::string decision = demand.kept ? "; copies of weights and gradients stay in memory" : "";
  if (wanted > 0 && !demand.kept) {
    sizes = rank_memory(run, demand);
    decision = fmt::format(
        "; with {} free per rank, copies of weights and gradients would stay in memory, which is faster", size(wanted));
  }
  fmt::print(stderr, "compeer: {}{}\n", memory_text(sizes), decision);
  warn(placements, sizes.added());
}

int64_t longest_of(RunContext& run, const Records& records, bool answers) {
  int64_t longest = 0;
  run.world.run_on_all_ranks("read", [&] {
    if (run.world.rank() != 0) return;
    const auto count = std::min(looked_at, records.size());
    for (const auto& group : records.read(0, count, [](int64_t i) { return i; })) {
      const auto answer = answers ? run.plugins->chat().answer(group.example.answer).size() : 0;
      longest = std::max(longest, static_cast<int64_t>(group.prompt.size() + answer));
    }
  });
  run.world.broadcast(std::as_writable_bytes(std::span(&longest, 1)));
  return longest;
}

namespace {

constexpr double tiles = 512;  // MiB: tiles of logits and their intermediate results

std::string gib(double mebibytes) { return fmt::format("{:.1f} GiB", mebibytes / 1024); }

// Bytes that libtorch saves per token and layer for the backward pass: inputs of norms and residual sums in float32,
// the inputs of each matrix product (kernels/libtorch_kernels.cpp), and three rows of the feed-forward width.
double kept(const ModelShape& shape, bool adapted, bool recomputed) {
  const auto width = static_cast<double>(shape.hidden), wide = static_cast<double>(shape.feed_forward);
  if (recomputed) return 2 * 4 * width;
  const double factor = shape.compute == at::kBFloat16 ? 2 : 4;
  const double plain = 8 * width + 6 * factor * width + 12 * wide + factor * wide;
  return adapted ? plain + factor * (6 * width + wide) : plain;
}

}  // namespace

double device_weights(const ModelShape& shape, int64_t count) {
  return (shape.compute == at::kBFloat16 ? 2 : 4) * static_cast<double>(count) / mib;
}

DeviceMemory device_memory(const ModelShape& shape, const TrainedWeights& learner, const PeakMemory& demand,
                           bool recomputed) {
  const double number = shape.compute == at::kBFloat16 ? 2 : 4;
  const auto tokens = static_cast<double>(demand.tokens_per_pass), layers = static_cast<double>(shape.layers);
  const auto vocabulary = static_cast<double>(shape.vocabulary), width = static_cast<double>(shape.hidden);
  DeviceMemory sizes;
  if (demand.gradients > 0) {
    sizes.gradients = 4 * static_cast<double>(learner.weights) / mib;
    sizes.activations = tokens * layers * kept(shape, learner.adapter, recomputed) / mib;
    // One layer at a time is recomputed.
    if (recomputed) sizes.activations += tokens * kept(shape, learner.adapter, false) / mib;
    sizes.logits = tiles + (learner.adapter ? 0 : 4 * vocabulary * width / mib);
  }
  sizes.pages =
      2 * number * static_cast<double>(demand.positions * shape.layers * shape.kv_heads * shape.head_dim) / mib;
  return sizes;
}

void check_device_memory(const DeviceMemory& sizes, double free) {
  if (sizes.added() <= free) return;
  throw Error(
      "model.device",
      fmt::format(
          "has {} of memory free, but the run needs {} more: gradients {}, activations {}, logits {}, KV cache {}",
          gib(free), gib(sizes.added()), gib(sizes.gradients), gib(sizes.activations), gib(sizes.logits),
          gib(sizes.pages)),
      "set model.recompute_above = 0 or model.compute = \"bfloat16\", train an adapter (model.adapter), or lower the "
      "tokens per group or sampling.concurrent",
      Exit::spec);
}

std::string device_memory_text(const DeviceMemory& sizes, double taken) {
  return fmt::format(
      "memory of the device, estimated: {} = {} in use + gradients {} + activations {} + logits {} + KV cache {}",
      gib(taken + sizes.added()), gib(taken), gib(sizes.gradients), gib(sizes.activations), gib(sizes.logits),
      gib(sizes.pages));
}

}  // namespace compeer::train
