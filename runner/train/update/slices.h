#pragma once
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "comm/share.h"
#include "comm/world.h"

namespace compeer::train {

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
