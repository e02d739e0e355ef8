#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "compeer/model.h"
#include "kernels/libtorch_products.h"

namespace compeer::kernels {

/// Which rows of a batch without a cache see which, in tensors on the model's device: made once a pass for each window,
/// and used in every layer. Segments that have nothing to do with each other are parts that are never compared, so a
/// batch of many costs what they cost one by one.
class TreePlan {
 public:
  TreePlan(const std::vector<Segment>& segments, Heads heads, at::Device device);

  /// q [rows, query heads * dim], k and v [rows, key heads * dim] -> [rows, query heads * dim]
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

 private:
  AttentionFactors factors_;
  std::vector<int64_t> sizes_;                  // rows of each part
  std::vector<std::vector<at::Tensor>> masks_;  // of each, some rows at a time
};

}  // namespace compeer::kernels
