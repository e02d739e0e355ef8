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

/// How ranks are given a sum.
struct Delivery {
  bool slice = false;  ///< each rank gets its slice alone, which spares half of the way through the network
  bool early = false;  ///< elements of the last leaf set out as soon as they are `ready`
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
/// otherwise); one less where leaves are said to be `ready` bit by bit, for a right half is added to the left one as it
/// comes. Only what is written to counts: a vector that is not needed is zeros, for which the system wants no memory.
template <typename T>
class TreeSumOf {
 public:
  /// sum += more, element by element: who has threads may put them to it.
  using Adder = typename RankTree<T>::Adder;
  /// `pinned`: a device knows where vectors are; they keep their memory and whatever stands there.
  TreeSumOf(World& world, int64_t leaves, int64_t length, Adder adder = nullptr, Delivery delivery = {},
            bool pinned = false);
  ~TreeSumOf();  ///< after a failure early elements may still be under way: these are given up
  TreeSumOf(const TreeSumOf&) = delete;
  TreeSumOf& operator=(const TreeSumOf&) = delete;

  /// This rank's leaves in ascending order, each once. Local: no communication, except that the last leaf's elements
  /// set out if they are to do so early.
  void add(int64_t leaf, std::span<const T> values);

  /// Room for the next leaf: zeros, to be filled and given to `add`, which then copies nothing.
  std::span<T> room();

  /// Local: waits for nobody. These elements in `room` are final, and afterwards the sum's: where the leaf is a right
  /// half they may be zeros again. Each is said to be ready at most once; others follow, at the latest with `add`.
  void ready(Share elements);

  /// Collective. The sum, on every rank, or its slice of it; valid until the next call of room, add or finish; the
  /// object is then ready for the next sum. No leaves at all sum to zeros.
  std::span<T> finish();

  /// Local, between sums: what the sum and `room` hold is lost, and their memory is free until they are filled again.
  void forget_vectors();

  int64_t leaves() const { return leaves_; }
  Share mine() const { return mine_; }

 private:
  struct Node {
    int64_t level, index;  // at most; index << level is its first leaf
    Zeros<T> sum;
  };
  struct Climb {
    int64_t level, index;
    size_t joined;  // so many of the last nodes
  };
  Zeros<T> take();
  void put_back(Zeros<T> vector);
  void reuse_result();
  Climb climb() const;
  void join(size_t joined, Share elements);
  void join_rest(size_t joined);
  void settle(const Climb& top);
  bool early() const;
  void begin();
  void hand_over(size_t piece);

  World& world_;
  const int64_t leaves_, length_;
  const Delivery delivery_;
  const bool pinned_;
  const Share mine_;
  int64_t next_;                       // the leaf that add expects
  std::vector<Node> nodes_;      // unfinished, ascending
  std::vector<Zeros<T>> spare_;  // vectors to use again: zeros, unless they are pinned
  Zeros<T> result_, room_;
  std::vector<Share> ready_;  // of the next leaf
  Adder adder_;
  RankTree<T> ranks_;
  std::vector<std::span<T>> tops_;  // what this rank hands over: its nodes, once they are known
  std::vector<int64_t> open_;       // of an early last leaf: elements of each piece that are not ready yet
};

using TreeSum = TreeSumOf<float>;
using TreeSum64 = TreeSumOf<double>;

}  // namespace compeer::comm
