#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "comm/messages.h"
#include "comm/share.h"
#include "comm/world.h"

// The communication of TreeSum, which sums vectors over all ranks (processes) in a fixed order, a binary tree of
// additions. The vectors are the leaves, and each rank owns a contiguous block of them. Each rank sums the largest
// subtrees of its own leaves locally. RankTree adds these subtrees' sums, called nodes, across ranks.

namespace compeer::comm {

/// A largest subtree of leaves that all belong to one rank.
struct RankNode {
  int owner;      ///< that rank
  int additions;  ///< number of additions that follow this node
};
/// Returns these subtrees in the order of their leaves, with the additions above them in reverse Polish notation: push
/// each node's sum on a stack, then replace the two topmost sums by their sum, `additions` times. `leaves`: number of
/// leaves; `ranks`: number of ranks.
std::vector<RankNode> rank_nodes(int64_t leaves, int ranks);

/// The reduction across ranks of TreeSum: the upper part of its tree, above the subtrees that each rank sums locally.
///
/// The elements are divided into pieces. The home of a piece is the rank whose slice contains it. All other ranks send
/// their nodes' elements to the home, which adds them in the tree's order and, if all ranks need the sum, sends it
/// back. Each rank may submit a piece as soon as its own nodes are final in these elements, in any order and while
/// other elements are still being computed. Only `finish` blocks.
template <typename T>
class RankTree {
 public:
  using Adder = std::function<void(std::span<T> sum, std::span<const T> more)>;  ///< sum += more, element by element
  /// `leaves`: number of vectors on all ranks; `length`: number of elements of each. `whole`: true if all ranks receive
  /// the sum, false if each piece's sum exists at its home only. Keeps a reference to `world`.
  RankTree(World& world, int64_t leaves, int64_t length, bool whole, Adder adder);

  size_t pieces() const { return pieces_.size(); }                               ///< number of pieces on all ranks
  ElementRange elements(size_t piece) const { return pieces_[piece].elements; }  ///< the elements of a piece

  /// Local. Starts the reduction of one piece. `nodes`: the piece's elements of this rank's nodes, final and in
  /// ascending order of leaves. `place`: memory for the sum, which may alias the first of `nodes`. All must stay valid
  /// and untouched until `finish` returns.
  void submit(size_t piece, std::vector<std::span<T>> nodes, std::span<T> place);

  /// Local. Continues the pieces that have been started as far as possible without blocking. Holds at most
  /// `room` receive buffers for other ranks' nodes, but always those of one piece.
  void advance(size_t room = plenty);

  /// Blocks until all sums are in their places. Every rank must have started all of its pieces, and all ranks must be
  /// known to reach this call: otherwise it would wait forever.
  void finish();

  /// After a failure that all ranks know of: gives up all messages. `memory`, which contains the nodes, is kept until
  /// the `World` is finished, because MPI may still access it.
  void abandon(std::shared_ptr<void> memory);

 private:
  static constexpr size_t plenty = 64, few = 4;  // limits of receive buffers: while overlapping, and in `finish`

  struct Piece {
    int home = 0;                             // rank that computes the sum
    ElementRange elements;                    // the elements of the piece
    std::vector<std::span<T>> nodes = {};     // these elements of this rank's nodes
    std::span<T> place = {};                  // memory for the sum
    std::vector<std::vector<T>> others = {};  // at home: receive buffers for other ranks' nodes
    int pending = 0;                          // number of message parts not complete
    bool summed = false;                      // at home: the sum is computed; elsewhere: the nodes are sent
  };
  void gather(size_t piece);         // at home: starts receiving other ranks' nodes
  bool advance_piece(size_t piece);  // next step of a piece without pending messages; true if the piece is finished
  void add_up(Piece& piece);         // at home: adds all ranks' nodes into `place` and releases the receive buffers

  World& world_;
  const bool whole_;  // all ranks receive the sum
  Adder adder_;
  std::vector<Piece> pieces_;
  const std::vector<RankNode> nodes_;  // the nodes of all ranks, in the order of leaves
  const size_t others_;                // number of nodes that belong to other ranks
  std::deque<size_t> queue_;           // indices of submitted pieces with their home here, not yet gathered
  std::vector<size_t> moving_;         // indices of pieces with messages under way
  size_t unfinished_ = 0;              // number of pieces that are not finished
  size_t held_ = 0;                    // number of receive buffers in use
  std::vector<std::vector<T>> spare_;  // receive buffers to be reused
  Messages messages_;                  // the mark of a message is the index of its piece
};

}  // namespace compeer::comm
