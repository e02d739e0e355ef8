#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "comm/world.h"

namespace compeer::comm {

/// The leaves first, first + 1, ..., first + count - 1 that a rank owns.
struct Share {
  int64_t first = 0;
  int64_t count = 0;
};

/// Contiguous blocks as even as possible, the longer ones first. Ranks beyond `leaves` get none.
Share share(int64_t leaves, int size, int rank);

/// The rank whose share holds the leaf.
int owner(int64_t leaves, int size, int64_t leaf);

/// How the elements of an array of `length` are shared: whole blocks of `block`, evenly.
Share slice(int64_t length, int64_t block, int size, int rank);

/// Collective. Gives every rank the slices of all others.
template <typename T>
void share_slices(World& world, std::span<T> whole, int64_t block);

/// Adds `leaves` vectors, spread over the ranks by `share`, in an order that depends on nothing but `leaves`: the
/// same bits for any number of ranks.
///
/// The order is a binary tree. Node (level k, i) covers the leaves [i 2^k, (i + 1) 2^k), cut at `leaves`, and is its
/// left half plus its right half; with an empty right half it equals its left half. A rank adds up the nodes that lie
/// in its share as its leaves come in; `finish` goes on over the ranks: each looks after its slice of the elements, for
/// which all others send it theirs of their nodes, adds these in the tree's order, and gives the others the result.
///
/// Memory: one vector for each unfinished node, at most log2(share) + 1 if shares are aligned powers of two (twice that
/// otherwise). Vectors are kept for the next sum.
template <typename T>
class TreeSumOf {
 public:
  /// sum += more, element by element: who has threads may put them to it.
  using Adder = std::function<void(std::span<T> sum, std::span<const T> more)>;
  TreeSumOf(World& world, int64_t leaves, int64_t length, Adder adder = nullptr);

  /// This rank's leaves in ascending order, each once. Local: no communication.
  void add(int64_t leaf, std::span<const T> values);

  /// Room for the next leaf, with anything in it: to be filled and given to `add`, which then copies nothing.
  std::span<T> room();

  /// Collective. The sum, on every rank, valid until the next call of room, add or finish; the object is then ready for
  /// the next sum. No leaves at all sum to zeros.
  std::span<T> finish();

  /// Collective. Of the same sum this rank's `slice` alone, which spares it half of the way through the network.
  std::span<T> finish_slice();

  static constexpr int64_t block = 1024;  ///< slices are whole blocks

  int64_t leaves() const { return leaves_; }
  Share mine() const { return mine_; }

 private:
  struct Node {
    int64_t level, index;  // at most; index << level is its first leaf
    std::vector<T> sum;
  };
  std::vector<T> take();
  void reuse_result();
  void merge();
  void collect();
  void send(int to);
  Node& find(int64_t first);
  std::span<T> total(int64_t first, int64_t width, Share elements, size_t slot);

  World& world_;
  int64_t leaves_, length_;
  Share mine_;
  int64_t next_;                       // the leaf that add expects
  std::vector<Node> nodes_;            // unfinished, ascending
  std::vector<std::vector<T>> spare_;  // vectors to use again
  std::vector<T> result_, room_;
  std::vector<std::vector<T>> pieces_;  // of other ranks' nodes, on their way up the tree
  Adder adder_;
};

using TreeSum = TreeSumOf<float>;
using TreeSum64 = TreeSumOf<double>;

}  // namespace compeer::comm
