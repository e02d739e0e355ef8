#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "comm/rank_tree.h"
#include "comm/share.h"
#include "comm/world.h"

namespace compeer::comm {

/// How ranks are given a sum.
struct Delivery {
  bool slice = false;  ///< each rank gets its slice alone, which spares half of the way through the network
  bool early = false;  ///< elements that are `ready` set out at once
};

/// Adds `leaves` vectors, spread over the ranks by `share`, in an order that depends on nothing but `leaves`: the
/// same bits for any number of ranks.
///
/// The order is a binary tree. Node (level k, i) covers the leaves [i 2^k, (i + 1) 2^k), cut at `leaves`, and is its
/// left half plus its right half; with an empty right half it equals its left half. A rank adds up the nodes that lie
/// in its share as its leaves come in; `RankTree` goes on over the ranks: each looks after its slice of the elements,
/// for which all others send it theirs of their nodes, adds these in the tree's order, and gives the others the result.
/// That happens in `finish`, or, with `early`, as soon as this rank's last leaf is `ready` in some elements.
///
/// Memory: one vector for each unfinished node, at most log2(share) + 1 if shares are aligned powers of two (twice that
/// otherwise). Vectors are kept for the next sum.
template <typename T>
class TreeSumOf {
 public:
  /// sum += more, element by element: who has threads may put them to it.
  using Adder = typename RankTree<T>::Adder;
  TreeSumOf(World& world, int64_t leaves, int64_t length, Adder adder = nullptr, Delivery delivery = {});
  ~TreeSumOf();  ///< after a failure early elements may still be under way: these are given up
  TreeSumOf(const TreeSumOf&) = delete;
  TreeSumOf& operator=(const TreeSumOf&) = delete;

  /// This rank's leaves in ascending order, each once. Local: no communication, except that the last leaf's elements
  /// set out if they are to do so early.
  void add(int64_t leaf, std::span<const T> values);

  /// Room for the next leaf, with anything in it: to be filled and given to `add`, which then copies nothing.
  std::span<T> room();

  /// Local: waits for nobody. These elements in `room` will not change any more, each is said to be ready at most once;
  /// others follow, at the latest with `add`. Counts for the last leaf of an early sum, else it does nothing.
  void ready(Share elements);

  /// Collective. The sum, on every rank, or its slice of it; valid until the next call of room, add or finish; the
  /// object is then ready for the next sum. No leaves at all sum to zeros.
  std::span<T> finish();

  /// Local, between sums: what vectors hold is lost, and the memory of large ones is free until they are filled again.
  void forget_vectors();

  int64_t leaves() const { return leaves_; }
  Share mine() const { return mine_; }

 private:
  struct Node {
    int64_t level, index;  // at most; index << level is its first leaf
    std::vector<T> sum;
  };
  struct Climb {
    int64_t level, index;
    size_t joined;  // so many of the last nodes
  };
  std::vector<T> take();
  void reuse_result();
  Climb climb() const;
  void join(size_t joined, Share elements);
  void settle(const Climb& top);
  bool early() const;
  void begin();
  void depart(size_t piece);
  void hand_over(size_t piece);

  World& world_;
  const int64_t leaves_, length_;
  const Delivery delivery_;
  const Share mine_;
  int64_t next_;                       // the leaf that add expects
  std::vector<Node> nodes_;            // unfinished, ascending
  std::vector<std::vector<T>> spare_;  // vectors to use again
  std::vector<T> result_, room_;
  Adder adder_;
  RankTree<T> ranks_;
  std::vector<std::span<T>> tops_;  // what this rank hands over: its nodes, once they are known
  std::vector<int64_t> open_;       // of an early last leaf: elements of each piece that are not ready yet
};

using TreeSum = TreeSumOf<float>;
using TreeSum64 = TreeSumOf<double>;

}  // namespace compeer::comm
