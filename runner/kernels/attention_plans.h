#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "compeer/model.h"
#include "kernels/libtorch_kernels.h"

namespace compeer::kernels {

/// Index tensors, on the model's device, that map the rows of a forward pass with a KV cache to pages (engine
/// `libtorch`). Built once per pass and attention window, used in every layer. Segments (consecutive rows of one
/// sequence) of equal length are batched into one attention call, up to a size limit.
class PagePlan {
 public:
  /// `segments`: all segments of the pass, in order, with their pages.
  PagePlan(const std::vector<Segment>& segments, Heads heads, at::Device device);

  /// Writes the keys, or the values, of all rows of the pass [rows, key heads * dim] to `pages`, the cache of one layer
  /// [pages, 16, key heads, dim].
  void store(const at::Tensor& rows, const at::Tensor& pages) const;
  /// Causal attention of q [rows, query heads * dim] to `keys` and `values`, which are pages as in `store` -> [rows,
  /// query heads * dim].
  at::Tensor attend(const at::Tensor& q, const at::Tensor& keys, const at::Tensor& values) const;

 private:
  // Segments of equal length, which are one attention call. Below, `most` is the largest number of pages of a segment,
  // counted from the first page inside the attention window.
  struct SegmentGroup {
    int64_t count, length;  // number of segments, rows per segment
    at::Tensor rows;        // int64 [count * length]: index of each row in the batch
    at::Tensor pages;       // int64 [count * most]: page indices, padded by repeating a segment's last page
    at::Tensor written;     // bool [count, most * 16, 1, 1]: true for positions of the segment
    at::Tensor mask;        // additive attention mask over most * 16 keys: AttentionFactors::mask
  };
  // Adds a group of segments of equal length.
  void add(const std::vector<const Segment*>& all, at::Device device);
  // Computes the attention of one group. q: the rows of this group only.
  at::Tensor attend(const SegmentGroup& group, const at::Tensor& q, const at::Tensor& keys,
                    const at::Tensor& values) const;

  AttentionFactors factors_;  // head sizes and type of the computation
  at::Tensor slot_;           // int64 [rows]: page * 16 + index in the page of each row
  std::vector<SegmentGroup> groups_;
  at::Tensor order_;  // int64 [rows]: index of each row in the concatenated groups; undefined: the same order
};

/// Attention masks, on the model's device, for a training batch (engine `libtorch`), whose segments form a tree: each
/// continues its parent (`Segment::parent`). Built once per pass and attention window, used in every layer. Unrelated
/// segments are in separate parts (consecutive segments) that never attend to each other, so the cost of a batch is the
/// sum of the costs of its parts.
class TreePlan {
 public:
  /// `segments`: all segments of the batch, in order.
  TreePlan(const std::vector<Segment>& segments, Heads heads, at::Device device);

  /// Causal attention of each row to its segment and to the segments that this one continues: q [rows, query heads *
  /// dim], k and v [rows, key heads * dim] -> [rows, query heads * dim].
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

 private:
  AttentionFactors factors_;                    // head sizes and type of the computation
  std::vector<int64_t> sizes_;                  // number of rows of each part
  std::vector<std::vector<at::Tensor>> masks_;  // [part][block of at most 1024 query rows]: AttentionFactors::mask
};

}  // namespace compeer::kernels
