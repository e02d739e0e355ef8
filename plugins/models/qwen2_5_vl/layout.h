#pragma once
#include <cstdint>
#include <vector>

#include "compeer/picture.h"
#include "config.h"
#include "kernels/arithmetic.h"

namespace compeer::qwen2_5_vl {

/// Where the patches of some pictures stand, and which of them look at each other. A unit is the square of patches that
/// becomes one token; pictures list their patches unit after unit. The tower works window after window instead.
struct PatchLayout {
  std::vector<int64_t> order;              ///< window_index: which unit comes i-th in the tower
  std::vector<kernels::RowRange> windows;  ///< patches in the tower's order that see each other in most blocks
  std::vector<kernels::RowRange>
      frames;                        ///< and in the blocks of full attention: one picture, one place of time in a video
  std::vector<int64_t> row, column;  ///< of each patch in its picture, in the pictures' order
};
PatchLayout layout(const std::vector<const Picture*>& pictures, const Vision& vision);

}  // namespace compeer::qwen2_5_vl
