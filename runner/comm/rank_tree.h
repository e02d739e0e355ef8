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

namespace compeer::comm {

/// A largest subtree whose leaves all belong to one rank, `owner`.
struct RankNode {
  int owner;
  int additions;
};
/// Returns the part of TreeSum's tree above these subtrees in reverse Polish notation: push each node in turn, then
/// replace the last two sums by their sum `additions` times.
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
  using Adder = std::function<void(std::span<T> sum, std::span<const T> more)>;
  /// `whole`: send the sum to all ranks; otherwise each piece's sum exists at its home only. Keeps a reference to
  /// `world`.
  RankTree(World& world, int64_t leaves, int64_t length, bool whole, Adder adder);

  size_t pieces() const { return pieces_.size(); }                               ///< number of pieces
  ElementRange elements(size_t piece) const { return pieces_[piece].elements; }  ///< the elements of a piece

  /// Local. Starts the reduction of one piece. `nodes` are these elements of this rank's nodes, final and in ascending
  /// order; `place` receives the sum and may alias the first of them. All must stay valid and untouched until `finish`
  /// returns.
  void submit(size_t piece, std::vector<std::span<T>> nodes, std::span<T> place);

  /// Local. Continues the pieces that have been started as far as possible without blocking. Buffers at most `room`
  /// pieces of other ranks' nodes, but always those of one piece.
  void advance(size_t room = plenty);

  /// Blocks until all sums are in their places. Every rank must have started all of its pieces, and all ranks must be
  /// known to reach this call: otherwise it would wait forever.
  void finish();

  /// After a failure that all ranks know of: gives up all messages. `memory`, which contains the nodes, is kept until
  /// the `World` is finished, because MPI may still access it.
  void abandon(std::shared_ptr<void> memory);

 private:
  static constexpr size_t plenty = 64, few = 4;  // limits of buffered pieces: while overlapping, and in `finish`

  struct Piece {
    int home = 0;
    ElementRange elements;
    std::vector<std::span<T>> nodes = {};
    std::span<T> place = {};
    std::vector<std::vector<T>> others = {};  // receive buffers for other ranks' nodes, at home
    int pending = 0;                          // number of message parts not complete
    bool summed = false;                      // at home: the sum is computed; elsewhere: the nodes are sent
  };
  void gather(size_t piece);  // starts receiving other ranks' nodes
  bool advance_piece(size_t piece);
  void add_up(Piece& piece);

  World& world_;
  const bool whole_;
  Adder adder_;
  std::vector<Piece> pieces_;
  const std::vector<RankNode> nodes_;  // the nodes that ranks contribute
  const size_t others_;                // number of nodes that belong to other ranks
  std::deque<size_t> queue_;           // pieces with their home here, not yet gathered
  std::vector<size_t> moving_;         // pieces with messages under way
  size_t left_ = 0, held_ = 0;         // pieces not finished; receive buffers in use
  std::vector<std::vector<T>> spare_;  // receive buffers to be reused
  Messages messages_;
};

}  // namespace compeer::comm
