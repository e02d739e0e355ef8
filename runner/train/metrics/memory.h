#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compeer/model.h"
#include "rollout/sampling.h"
#include "train/batch/records.h"
#include "train/metrics/placement.h"
#include "train/run.h"

// Estimates of the memory that a rank and its device (GPU) need, made before the first step, so that a run that does
// not fit ends at once or warns. The host is the CPU's machine. Memory is in MiB (2^20 bytes). A gradient array has
// one float32 element per trainable weight. A leaf is a micro-batch or a few prompt groups: the unit of the sum of
// gradients over ranks. An adapter is a small set of trainable weights (LoRA) over a frozen base model.

namespace compeer::train {

/// Returns the peak resident memory of this process so far, in MiB.
double peak_memory();

/// Sizes of the data that a rank holds in memory at its peak, in addition to weights and optimizer state. Counts, not
/// bytes. The task of a run computes it from its settings.
struct PeakMemory {
  int64_t gradients = 0;  ///< number of gradient arrays, each with one element per trainable weight; 0: no training
  int64_t tokens_per_pass = 0;  ///< number of tokens in one forward and backward pass
  int64_t positions = 0;        ///< number of tokens in the KV cache during generation
  bool kept = false;            ///< whether copies of weights and gradient arrays may stay allocated between uses
};

/// The weights that are trained.
struct TrainedWeights {
  int64_t weights = 0;   ///< number of trainable weights
  bool adapter = false;  ///< the trainable weights are an adapter's, and the base model is frozen
};

/// Returns the number of gradient arrays that are allocated at once while a rank sums the gradients of its `leaves`
/// leaves as a binary tree. `in_one_pass`: gradients are added to the partial sum while they are computed, which saves
/// one array.
int64_t gradients_of(int64_t leaves, bool in_one_pass);

/// Returns the number of tokens in the KV cache, rounded up to whole pages, while `group_size` completions are sampled
/// for each of `prompts` prompts of `length` tokens, at most `sampling.concurrent` sequences at a time.
int64_t kv_tokens(int64_t prompts, int64_t length, int64_t group_size, const rollout::Sampling& sampling);

/// Estimated host memory of a rank, in MiB. Memory that rewards and messages between ranks add later is not included.
struct MemoryEstimate {
  double now = 0;          ///< resident now: program, data, weights, optimizer state, judge models
  double repacked = 0;     ///< copies of weights in the kernels' layout, or mapped weights that are not in memory yet
  double gradients = 0;    ///< gradient arrays
  double activations = 0;  ///< activations and logits of a forward and backward pass
  double pages = 0;        ///< KV cache
  double rest = 0;         ///< code, buffers, and fragmentation if the allocator keeps freed memory
  double added() const { return repacked + gradients + activations + pages + rest; }  ///< added by the first steps
  double all() const { return now + added(); }
};

/// Returns the estimated host memory of a rank that has `now` MiB resident, for a model on the CPU. `shape`: sizes of
/// the model. `learner`: its trainable weights. `recomputed`: activation checkpointing is on. `keeping`: the allocator
/// keeps freed memory instead of returning it to the system (GLIBC_TUNABLES sets trim_threshold).
MemoryEstimate estimate_memory(const ModelShape& shape, const TrainedWeights& learner, const PeakMemory& demand,
                               bool recomputed, bool keeping, double now);

/// Returns the estimate as a line for the log: "memory of a rank, estimated: 186 MiB = 154 MiB in use + ...".
std::string memory_text(const MemoryEstimate& sizes);

/// Local. Returns the estimated host memory of this rank for the model, device and settings of a run. `demand`: its
/// PeakMemory. To be called when plugins are open and the optimizer state is allocated.
MemoryEstimate rank_memory(RunContext& run, PeakMemory demand);

/// Sets whether copies of weights and gradient arrays stay allocated between uses, which is faster: in this program,
/// and in the model's plugin if it implements the interface CopiesWeights.
void keep_copies(Model& model, bool keep);

/// True if each host has `more` MiB free for each rank of this run and of all other runs that the launcher starts at
/// the same time (their number is the environment variable COMPEER_JOBS). False if a host's free memory is unknown.
/// `placements`: host of each rank, with its free memory.
bool hosts_have(const std::vector<Placement>& placements, double more);

/// Collective, before the first step. Rank 0 prints the estimated memory of a rank, and a warning for each host that
/// has less memory free than its ranks add. Calls keep_copies on all ranks: true if `demand.kept` and each host
/// has 1.25 times MemoryEstimate::added() free for each of its ranks. With a device it also prints the device's memory,
/// and throws Error (exit code 3: wrong spec) on all ranks if any device is too small. `demand`: the peak of this rank.
void report_memory(RunContext& run, PeakMemory demand);

/// Collective. Returns the number of tokens of the longest of the first 8 records, with its answer if `answers`. For
/// PeakMemory.
int64_t longest_of(RunContext& run, const Records& records, bool answers);

/// Estimated memory that the first steps add on a device, which already holds the weights, in MiB: gradients in
/// float32 (`gradients`), `activations` saved for the backward pass, `logits` (with the gradient of the output head if
/// that is trained), KV cache (`pages`).
struct DeviceMemory {
  double gradients = 0, activations = 0, logits = 0, pages = 0;
  double added() const { return gradients + activations + logits + pages; }  ///< sum of all
};

/// Returns the estimated memory of a device. The parameters are those of `estimate_memory`.
DeviceMemory device_memory(const ModelShape& shape, const TrainedWeights& learner, const PeakMemory& demand,
                           bool recomputed);

/// Returns the memory of `count` weights on a device, in MiB: 2 bytes each if the model computes in bfloat16, otherwise
/// 4.
double device_weights(const ModelShape& shape, int64_t count);

/// Throws Error (exit code 3) with advice on how to use less memory, if DeviceMemory::added() exceeds `free`, the free
/// memory of the device in MiB.
void check_device_memory(const DeviceMemory& sizes, double free);

/// Returns a line for the log: "memory of the device, estimated: 3.1 GiB = 1.2 GiB in use + gradients ...". `taken`:
/// memory of the device that is in use now, in MiB.
std::string device_memory_text(const DeviceMemory& sizes, double taken);

}  // namespace compeer::train
