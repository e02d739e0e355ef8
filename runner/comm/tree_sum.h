#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/pages.h"
#include "comm/rank_tree.h"
#include "comm/share.h"
#include "comm/world.h"

namespace compeer::comm {

/// How the sum of TreeSumOf reaches the ranks.
struct Delivery {
  bool slice = false;  ///< reduce-scatter: each rank receives only its slice, which halves the network traffic
  bool early = false;  ///< start sending elements of the last leaf as soon as they are final, which overlaps
                       ///< communication with the backward pass
};

/// All-reduce of vectors, the leaves, such as the gradients of all micro-batches of a training step. Each rank owns a
/// contiguous block of leaves. The order of additions depends on the number of leaves only, so the sum is bitwise
/// identical for any number of ranks.
///
/// The order is a binary tree. Node (level k, i) covers the leaves [i 2^k, (i + 1) 2^k), cut at `leaves`, and is its
/// left half plus its right half; if the right half is empty, it equals its left half. A rank sums the nodes that lie
/// in its share as its leaves are added. `RankTree` sums across ranks: each rank receives its slice of the elements of
/// all other ranks' nodes, adds them in the tree's order, and sends the result to the others. That happens in `finish`,
/// or, with `early`, as soon as elements of this rank's last leaf are final.
///
/// Memory: one vector for each unfinished node, at most log2(share) + 1 if shares are aligned powers of two (twice that
/// otherwise); one less if leaves are marked final in parts, because a right half is then added to the left half
/// as it arrives. Vectors occupy physical memory only where they were written.
template <typename T>
class TreeSumOf {
 public:
  using Adder = typename RankTree<T>::Adder;  ///< void(sum, more): sum += more, element by element
  /// `leaves`: number of leaves on all ranks; `length`: number of elements of each. `adder`: function that adds two
  /// vectors, possibly with several threads; null: a simple loop. `pinned`: the vectors' memory is registered with a
  /// GPU, so it is neither zeroed nor returned to the system between sums. Keeps a reference to `world`.
  TreeSumOf(World& world, int64_t leaves, int64_t length, Adder adder = nullptr, Delivery delivery = {},
            bool pinned = false);
  ~TreeSumOf();  ///< abandons elements that are still being sent or received after a failure
  TreeSumOf(const TreeSumOf&) = delete;
  TreeSumOf& operator=(const TreeSumOf&) = delete;

  /// Local. Adds the next leaf of this rank; each leaf is added once, in ascending order. `values` is copied unless it
  /// is `next_leaf_buffer()`. Does not communicate, except that it starts sending the last leaf if delivery is `early`.
  /// Throws std::logic_error if it is not this leaf's turn or the length is wrong.
  void add(int64_t leaf, std::span<const T> values);

  /// Returns a buffer for the next leaf, which `add` accepts without a copy. It is zeroed, unless the vectors are
  /// `pinned`: then it may contain old values.
  std::span<T> next_leaf_buffer();

  /// Local, does not block. Declares that these elements of `next_leaf_buffer()` are final. The caller must not access
  /// them any more: they may already have been added to another node and zeroed. Each element may be declared at most
  /// once; all others become final by `add`.
  void mark_final(ElementRange elements);

  /// Collective. Returns the sum, or this rank's slice of it; zeros if there are no leaves. Valid until the next call
  /// of next_leaf_buffer, mark_final, add, finish or forget_vectors. The object can then be used for the next sum.
  std::span<T> finish();

  /// Local, between sums. Discards the contents of the sum and of `next_leaf_buffer()`, and returns their memory to the
  /// system (unless they are pinned) until they are used again.
  void forget_vectors();

  int64_t leaves() const { return leaves_; }   ///< number of leaves on all ranks
  ElementRange mine() const { return mine_; }  ///< the leaves of this rank

 private:
  // A complete subtree of this rank's leaves: node `index` of level `level`. Its first leaf is index << level.
  struct Node {
    int64_t level, index;
    Zeros<T> sum;
  };
  // The highest node (level, index) that the next leaf completes. The leaf is then added to the last of `nodes_`, the
  // sum to the node before it, and so on for the last `joined` nodes.
  struct Climb {
    int64_t level, index;
    size_t joined;
  };
  Zeros<T> take();                                  // returns an unused vector
  void put_back(Zeros<T> vector);                   // zeroes a vector, unless pinned, and keeps it for `take`
  void reuse_result();                              // puts back the vector of the previous sum
  Climb climb() const;                              // returns the Climb of the leaf `next_`
  void join(size_t joined, ElementRange elements);  // adds these elements of the next leaf to the last `joined` nodes
  void join_rest(size_t joined);                    // the same for all elements that were not marked final
  void settle(const Climb& top);                    // replaces the next leaf and the joined nodes by the node `top`
  bool early() const;                               // true if the next leaf is this rank's last, and is sent early
  void begin();                     // determines `tops_`, before the first elements of the last leaf are sent
  void submit_piece(size_t piece);  // passes a piece of `tops_` to `rank_tree_`

  World& world_;
  const int64_t leaves_, length_;  // number of leaves on all ranks; elements of each
  const Delivery delivery_;
  const bool pinned_;
  const ElementRange mine_;           // the leaves of this rank
  int64_t next_;                      // the leaf that `add` expects
  std::vector<Node> nodes_;           // nodes with incomplete parents, in ascending order of leaves
  std::vector<Zeros<T>> spare_;       // unused vectors: zeros, unless they are pinned
  Zeros<T> result_;                   // the sum after finish()
  Zeros<T> leaf_buffer_;              // memory of next_leaf_buffer()
  std::vector<ElementRange> marked_;  // elements of the next leaf that were marked final
  Adder adder_;
  RankTree<T> rank_tree_;           // sums the final nodes of all ranks
  std::vector<std::span<T>> tops_;  // this rank's final nodes; empty until they are known
  std::vector<int64_t> not_final_;  // [piece of rank_tree_]: number of elements of the last leaf that are not final,
                                    // while it is sent early; otherwise empty
};

using TreeSum = TreeSumOf<float>;     ///< of gradients
using TreeSum64 = TreeSumOf<double>;  ///< of statistics

}  // namespace compeer::comm
