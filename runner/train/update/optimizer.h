#pragma once
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "comm/share.h"
#include "comm/world.h"
#include "compeer/settings.h"
#include "kernels/adamw.h"

namespace compeer::train {

/// AdamW with clipping by the global norm and a schedule of the learning rate.
class Optimizer {
 public:
  /// `settings` is the spec's table `optimizer`; lr and steps come from the task. `parameters`: how many of the model's
  /// it looks after.
  Optimizer(const Settings& settings, double lr, uint64_t steps, int64_t parameters);

  /// One step on the summed gradient, which is clipped by `norm`, that of the whole model.
  struct Update {
    double gradient_norm, lr;
  };
  Update step(std::span<const float> gradient, double norm, std::span<float> weights);

  /// Learning rate of update t = 1, 2, ...: linear warm-up, then constant, or down to 0 by a cosine or a line.
  double rate(uint64_t t) const;

  /// Its state: one number of each for each parameter, and how many updates it made.
  std::vector<float>& mean() { return m_; }
  std::vector<float>& mean_square() { return v_; }
  uint64_t& updates() { return done_; }

 private:
  kernels::AdamW adamw_;
  double lr_, max_norm_;
  std::string schedule_;
  uint64_t warmup_, steps_, done_ = 0;
  std::vector<float> m_, v_;
};

/// The norm of a whole gradient.
double norm_of(std::span<const float> gradient);

/// Who keeps what of arrays with one number for each parameter, as an optimizer's are: every rank all of them, or, if
/// they are sharded, every rank its slice. Files of a checkpoint are the same either way, for any number of ranks.
class Slices {
 public:
  Slices(comm::World& world, int64_t length, bool sharded);

  /// Slices begin and end at multiples of this.
  static constexpr int64_t block = comm::slice_block;

  bool sharded() const { return sharded_; }
  comm::Share own() const { return kept_by(world_.rank()); }
  template <class T>
  std::span<T> own_part(std::span<T> whole) const {
    return whole.subspan(static_cast<size_t>(own().first), static_cast<size_t>(own().count));
  }

  /// Gives every rank the slices of all others. Meets the other ranks.
  void share(std::span<float> whole) const;

  struct Array {
    std::string name;
    std::span<float> own;
  };
  /// Meets the other ranks. `stem`.safetensors, `stem`-1.safetensors, ... in turn hold the next `piece` elements of all
  /// arrays: no more than that comes together on rank 0, which writes.
  void save(const std::filesystem::path& folder, const std::string& stem, const std::vector<Array>& arrays,
            const std::map<std::string, std::string>& metadata, int64_t piece = int64_t{1} << 24) const;

  /// Reads what this rank keeps; gives the metadata. Arrays of another length are an Error (exit 4).
  std::map<std::string, std::string> load(const std::filesystem::path& folder, const std::string& stem,
                                          const std::vector<Array>& arrays) const;

 private:
  comm::Share kept_by(int rank) const;
  void bring(const Array& array, comm::Share piece, std::span<float> to) const;

  comm::World& world_;
  int64_t length_;
  bool sharded_;
};

}  // namespace compeer::train
