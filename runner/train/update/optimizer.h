#pragma once
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "comm/share.h"
#include "comm/world.h"
#include "spec/tables.h"

namespace compeer::train {

/// AdamW with gradient clipping by global norm and a learning-rate schedule. Holds the state of a slice of the
/// parameters, or of all.
class Optimizer {
 public:
  /// `lr`: peak learning rate. `steps`: number of updates of the whole run, for the schedule. `parameters`: number of
  /// parameters that this optimizer updates.
  Optimizer(const spec::OptimizerTable& settings, double lr, uint64_t steps, int64_t parameters);

  /// Norm of the gradient before clipping, and learning rate, of one update.
  struct Update {
    double gradient_norm, lr;
  };
  /// Updates `weights` in place. `norm`: norm of the whole model's gradient, by which the gradient is clipped to
  /// `max_grad_norm` (0: no clipping). `gradient` and `weights` have one element per parameter of this optimizer.
  Update step(std::span<const float> gradient, double norm, std::span<float> weights);

  /// Learning rate of update t = 1, 2, ...: linear warm-up, then constant, or cosine or linear decay towards 0.
  double rate(uint64_t t) const;

  /// State of the optimizer, for checkpoints: AdamW's moments, one element per parameter, and the number of updates.
  std::vector<float>& mean() { return m_; }
  std::vector<float>& mean_square() { return v_; }
  uint64_t& updates() { return done_; }

 private:
  const spec::OptimizerTable settings_;
  const double lr_;           // peak learning rate
  const uint64_t steps_;      // number of updates of the run
  uint64_t done_ = 0;         // number of updates so far
  std::vector<float> m_, v_;  // AdamW's first and second moments
};

/// Euclidean norm of a gradient.
double norm_of(std::span<const float> gradient);

/// How per-parameter arrays (such as optimizer state) are distributed over ranks: replicated, or sharded so that each
/// rank owns one contiguous slice. Checkpoint files do not depend on the layout or on the number of ranks. Keeps a
/// reference to `world`.
class ShardLayout {
 public:
  /// `length`: number of elements of the whole array. With one rank, `sharded` has no effect.
  ShardLayout(comm::World& world, int64_t length, bool sharded);

  /// Slices begin and end at multiples of this number of elements.
  static constexpr int64_t block = comm::slice_block;

  bool sharded() const { return sharded_; }
  /// Elements that this rank owns: its slice, or all.
  comm::ElementRange own() const { return kept_by(world_.rank()); }
  /// Returns this rank's elements of a whole array.
  template <class T>
  std::span<T> own_part(std::span<T> whole) const {
    return whole.subspan(static_cast<size_t>(own().first), static_cast<size_t>(own().count));
  }

  /// Collective. All-gathers `whole` in place: on entry each rank's own slice is valid, on return all of it is. Does
  /// nothing if arrays are replicated.
  void all_gather(std::span<float> whole) const;

  struct Array {
    std::string name;      ///< name of the tensor in the file
    std::span<float> own;  ///< the elements that this rank owns
  };
  /// Collective. Writes the arrays to `stem`.safetensors, `stem`-1.safetensors, ..., each with the next `piece`
  /// elements of every array, and `metadata`. Rank 0 writes, and holds the elements of one file at a time.
  void save(const std::filesystem::path& folder, const std::string& stem, const std::vector<Array>& arrays,
            const std::map<std::string, std::string>& metadata, int64_t piece = int64_t{1} << 24) const;

  /// Local. Reads this rank's elements of `arrays` from the files of `save`, with any `piece`, and returns the
  /// metadata. Throws Error (exit 4) if files are missing or have another number of elements.
  std::map<std::string, std::string> load(const std::filesystem::path& folder, const std::string& stem,
                                          const std::vector<Array>& arrays) const;

 private:
  comm::ElementRange kept_by(int rank) const;  // elements that a rank owns
  // Collective. Copies a piece of the whole array to `to` on rank 0.
  void gather(const Array& array, comm::ElementRange piece, std::span<float> to) const;

  comm::World& world_;
  int64_t length_;
  bool sharded_;
};

}  // namespace compeer::train
