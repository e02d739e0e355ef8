#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compeer/model.h"
#include "rollout/sampling.h"
#include "train/batch/records.h"
#include "train/metrics/placement.h"
#include "train/run.h"

namespace compeer::train {

/// Peak resident memory of this process so far, in MiB.
double peak_memory();

/// Sizes of what a rank holds in memory at its peak, in addition to weights and optimizer state. Counts, not bytes.
struct PeakMemory {
  int64_t gradients = 0;  ///< number of gradient arrays, each with one element per trainable weight; 0: no training
  int64_t tokens_per_pass = 0;  ///< number of tokens in one forward and backward pass
  int64_t positions = 0;        ///< number of tokens in the KV cache during generation
  bool kept = false;            ///< whether copies of weights and gradient arrays may stay allocated between uses
};

/// The weights that are trained.
struct TrainedWeights {
  int64_t weights = 0;   ///< number of trainable weights
  bool adapter = false;  ///< they are an adapter's and the base model is frozen
};

/// Number of gradient arrays that are allocated at once while a rank sums `leaves` micro-batches (comm/tree_sum.h).
/// `in_one_pass`: gradients are added to the partial sum while they are computed, which saves one array.
int64_t gradients_of(int64_t leaves, bool in_one_pass);

/// Number of tokens in the KV cache, rounded up to whole pages, while `group_size` completions are sampled for each of
/// `prompts` prompts of `length` tokens, at most `sampling.concurrent` sequences at a time.
int64_t kv_tokens(int64_t prompts, int64_t length, int64_t group_size, const rollout::Sampling& sampling);

/// Estimated memory of a rank, in MiB:
///   now          resident now: program, data, weights, optimizer state, judges
///   repacked     repacked copies of weights, or mapped weights that are not in memory yet
///   gradients    gradient arrays
///   activations  activations and logits of a forward and backward pass
///   pages        KV cache
///   rest         code, buffers, and fragmentation if the allocator keeps freed memory
/// Memory of rewards, stages and messages between ranks is not included.
struct MemoryEstimate {
  double now = 0, repacked = 0, gradients = 0, activations = 0, pages = 0, rest = 0;
  double added() const { return repacked + gradients + activations + pages + rest; }  ///< added by the first steps
  double all() const { return now + added(); }
};

/// Estimates the memory of a rank that has `now` MiB resident. `recomputed`: activation checkpointing is on. `keeping`:
/// the allocator keeps freed memory (docs/running.md, "Launchers").
MemoryEstimate estimate_memory(const ModelShape& shape, const TrainedWeights& learner, const PeakMemory& demand,
                               bool recomputed, bool keeping, double now);

/// Returns a line for the log: "memory of a rank, estimated: 186 MiB = 154 MiB in use + ...".
std::string memory_text(const MemoryEstimate& sizes);

/// Local. Estimates this rank's host memory for the model, device and settings of a run. To be called when plugins are
/// open and the optimizer state is allocated.
MemoryEstimate rank_memory(RunContext& run, PeakMemory demand);

/// Sets whether copies of weights and gradient arrays stay allocated between uses: `pages_kept` of this program, and
/// CopiesWeights::keep_copies of the model's plugin if it implements that.
void keep_copies(Model& model, bool keep);

/// True if each host has `more` MiB free for each rank of this run and of all other runs that the launcher starts at
/// the same time (COMPEER_JOBS). False if a host's free memory is unknown.
bool hosts_have(const std::vector<Placement>& placements, double more);

/// Collective, before the first step. Rank 0 prints the estimated memory of a rank, and a warning for each host that
/// has less. Calls keep_copies on all ranks: true if `demand.kept` and each host has 1.25 times MemoryEstimate::added()
/// free for each of its ranks. On a device it also prints the device's memory, and throws RankError on all ranks if any
/// device is too small. `demand`: the peak memory of this rank.
void report_memory(RunContext& run, PeakMemory demand);

/// Collective. Returns the number of tokens of the longest of the first 8 records, with its answer if `answers`.
int64_t longest_of(RunContext& run, const Records& records, bool answers);

/// Estimated memory that the first steps add on a device, which already holds the weights, in MiB: gradients in
/// float32, activations saved for the backward pass, logits (with the gradient of the output head if that is trained),
/// KV cache.
struct DeviceMemory {
  double gradients = 0, activations = 0, logits = 0, pages = 0;
  double added() const { return gradients + activations + logits + pages; }
};

/// Estimates the memory of a device. `recomputed`: activation checkpointing is on.
DeviceMemory device_memory(const ModelShape& shape, const TrainedWeights& learner, const PeakMemory& demand,
                           bool recomputed);

/// Memory of `count` weights on a device, in MiB.
double device_weights(const ModelShape& shape, int64_t count);

/// Throws Error (exit 3) with advice on how to use less memory, if `free` (MiB) is not enough.
void check_device_memory(const DeviceMemory& sizes, double free);

/// Returns a line for the log: "memory of the device, estimated: 3.1 GiB = 1.2 GiB in use + gradients ...". `taken`:
/// MiB that are in use now.
std::string device_memory_text(const DeviceMemory& sizes, double taken);

}  // namespace compeer::train
