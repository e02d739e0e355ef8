#pragma once
#include <cstdint>
#include <vector>

#include "compeer/model.h"

namespace compeer::rollout {

/// Memory for keys and values, handed out in pages of 16 positions and taken back.
class Pages {
 public:
  Pages(const ModelShape& shape, int64_t count);

  int32_t take();
  void give_back(int32_t page) { free_.push_back(page); }
  /// Copies what `from` holds to `to`, in every layer.
  void copy(int32_t from, int32_t to);
  Cache& cache() { return cache_; }

 private:
  Cache cache_;
  std::vector<int32_t> free_;
};

}  // namespace compeer::rollout
