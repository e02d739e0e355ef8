#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "compeer/model.h"
#include "kernels/libtorch_kernels.h"

namespace compeer::kernels {

/// Index tensors, on the model's device, that map the rows of a forward pass with a KV cache to pages (engine
/// `libtorch`). Built once per pass and attention window, used in every layer. Segments of equal length are batched
/// into one attention call, up to a size limit.
class PagePlan {
 public:
  PagePlan(const std::vector<Segment>& segments, Heads heads, at::Device device);

  /// Writes keys or values [rows, key heads * dim] to `pages` [pages, 16, key heads, dim].
  void store(const at::Tensor& rows, const at::Tensor& pages) const;
  /// Causal attention of q [rows, query heads * dim] to `keys` and `values`, which are pages as in `store` -> [rows,
  /// query heads * dim].
  at::Tensor attend(const at::Tensor& q, const at::Tensor& keys, const at::Tensor& values) const;

 private:
  // Segments of equal length, which are one attention call. `most` is the largest number of pages of a segment.
  struct Portion {
    int64_t count, length;  // number of segments, rows per segment
    at::Tensor rows;        // int64 [count * length]: rows of the batch
    at::Tensor pages;       // int64 [count * most]: page indices, padded by repeating a segment's last page
    at::Tensor written;     // bool [count, most * 16, 1, 1]: true for positions of the segment
    at::Tensor mask;        // attention mask over most * 16 keys
  };
  void add(const std::vector<const Segment*>& all, at::Device device);
  at::Tensor attend(const Portion& portion, const at::Tensor& q, const at::Tensor& keys,
                    const at::Tensor& values) const;

  AttentionFactors factors_;
  at::Tensor place_;  // int64 [rows]: page * 16 + index in the page of each row
  std::vector<Portion> portions_;
  at::Tensor order_;  // int64 [rows]: position of each row in the concatenated portions; undefined: the same order
};

/// Attention masks, on the model's device, for a batch without a cache (engine `libtorch`). Built once per pass and
/// attention window, used in every layer. Unrelated segments are in separate parts that never attend to each other, so
/// the cost of a batch is the sum of the costs of its parts.
class TreePlan {
 public:
  TreePlan(const std::vector<Segment>& segments, Heads heads, at::Device device);

  /// Causal attention along the tree of segments: q [rows, query heads * dim], k and v [rows, key heads * dim] ->
  /// [rows, query heads * dim].
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

 private:
  AttentionFactors factors_;
  std::vector<int64_t> sizes_;                  // number of rows of each part
  std::vector<std::vector<at::Tensor>> masks_;  // by part: masks of consecutive blocks of rows
};

}  // namespace compeer::kernels
