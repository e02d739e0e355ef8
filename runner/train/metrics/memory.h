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

/// The most memory that this process has had resident so far, in MiB; 0 where the system does not say.
double peak_memory();

/// What a rank will need memory for at once, beside weights and optimizer. Counts, not bytes.
struct PeakMemory {
  int64_t gradients = 0;  ///< number of gradient arrays, each with an element per trainable weight; 0: no training
  int64_t learned = 0;    ///< tokens that are differentiated together
  int64_t positions = 0;  ///< tokens whose keys and values are kept while texts are generated
  bool kept = false;      ///< copies of weights and gradient arrays may stay allocated between uses: faster, takes more
};

/// What learns: so many weights, all of the model's or an adapter's.
struct Learner {
  int64_t weights = 0;
  bool adapter = false;
};

/// Number of gradient arrays that are allocated at once while a rank sums `leaves` micro-batches (comm/tree_sum.h).
/// `in_one_pass`: a micro-batch is added to its neighbour as it is computed, which saves one array.
int64_t gradients_of(int64_t leaves, bool in_one_pass);

/// Number of tokens in the key-value cache, rounded up to whole pages, while `prompts` of `length` tokens are answered
/// `group_size` times each, at most `sampling.concurrent` sequences at a time.
int64_t positions_of(int64_t prompts, int64_t length, int64_t group_size, const rollout::Sampling& sampling);

/// What a rank's memory comes to, in MiB: what it has now (the program, data, weights, the optimizer's state, judges),
/// and what the first steps add. `rearranged`: copies of weights, or weights that are still to be read from files.
/// `rest` is for code and buffers, and for pieces that lie free between others where freed memory is kept. Not counted:
/// what rewards, stages and messages between ranks will take.
struct MemoryEstimate {
  double now = 0, rearranged = 0, gradients = 0, activations = 0, pages = 0, rest = 0;
  double more() const { return rearranged + gradients + activations + pages + rest; }
  double all() const { return now + more(); }
};

/// `recomputed`: few activations are kept. `keeping`: the program keeps what it frees (docs/running.md, "Launchers").
MemoryEstimate estimate_memory(const ModelShape& shape, const Learner& learner, const PeakMemory& demand,
                               bool recomputed, bool keeping, double now);

/// "memory of a rank, estimated: 186 MiB = 154 MiB so far + ..."
std::string memory_text(const MemoryEstimate& sizes);

/// estimate_memory() of this rank's host, as its device and arithmetic need it. No communication. To be called when
/// plugins are open and the optimizer has its state.
MemoryEstimate rank_memory(RunContext& run, PeakMemory demand);

/// Sets `pages_kept` of this program, and of the model's plugin if it implements CopiesWeights.
void keep_copies(Model& model, bool keep);

/// True if each host has `more` MiB free for each rank of this run, and as much for each run that the launcher starts
/// at the same time (COMPEER_JOBS); false if a host's free memory is unknown.
bool hosts_have(const std::vector<Placement>& placements, double more);

/// Before the first step: writes to rank 0's standard error how much memory a rank is estimated to need, and a note for
/// each host that has less. Calls keep_copies(true) on all ranks if `demand.kept` and each host has 1.25 times
/// MemoryEstimate::more() free, else keep_copies(false). On a device it also reports the device's memory, and throws
/// RankError on all ranks if it is too small for one. Collective. `demand`: this rank's.
void report_memory(RunContext& run, PeakMemory demand);

/// Tokens of the longest of the first 8 records, with their answers if `answers`. Collective; equal on all ranks.
int64_t longest_of(RunContext& run, const Records& records, bool answers);

/// What a run's first steps add on a device, where weights are already, in MiB: gradients in float32, activations that
/// are kept for the way back, logits and the head's gradient, keys and values.
struct DeviceMemory {
  double gradients = 0, activations = 0, logits = 0, pages = 0;
  double more() const { return gradients + activations + logits + pages; }
};

DeviceMemory device_memory(const ModelShape& shape, const Learner& learner, const PeakMemory& demand, bool recomputed);

/// Of a model's weights there, in MiB.
double device_weights(const ModelShape& shape, int64_t count);

/// Throws Error (exit 3) that says how to need less, if a device's free memory is not enough.
void check_device_memory(const DeviceMemory& sizes, double free);

/// "memory of the device: 1.2 GiB so far + gradients ..."
std::string device_memory_text(const DeviceMemory& sizes, double taken);

}  // namespace compeer::train
