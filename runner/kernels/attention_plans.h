#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "compeer/model.h"
#include "kernels/libtorch_kernels.h"

namespace compeer::kernels {

/// Where the rows of a pass with a cache stand, in tensors on the model's device: made once a pass for each window, and
/// used in every layer. Segments of one length are a portion, whose attention is one call, as long as what they see
/// together isn't too much.
class PagePlan {
 public:
  PagePlan(const std::vector<Segment>& segments, Heads heads, at::Device device);

  /// Leaves keys or values [rows, heads * dim] in `pages` [pages, 16, heads, dim].
  void store(const at::Tensor& rows, const at::Tensor& pages) const;
  /// Of queries [rows, heads * dim], what they see of keys and values in such pages.
  at::Tensor attend(const at::Tensor& q, const at::Tensor& keys, const at::Tensor& values) const;

 private:
  struct Portion {
    int64_t count, length;  // segments, and their rows
    at::Tensor rows;        // int64 [count * length]
    at::Tensor pages;       // int64 [count * most]; those of shorter segments are their last, again
    at::Tensor written;     // bool [count, most * 16, 1, 1]
    at::Tensor mask;        // over most * 16 keys
  };
  void add(const std::vector<const Segment*>& all, at::Device device);
  at::Tensor attend(const Portion& portion, const at::Tensor& q, const at::Tensor& keys,
                    const at::Tensor& values) const;

  AttentionFactors factors_;
  at::Tensor place_;  // int64 [rows]: which row of all pages
  std::vector<Portion> portions_;
  at::Tensor order_;  // int64 [rows]: from portions to rows; undefined: they are in order
};

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
