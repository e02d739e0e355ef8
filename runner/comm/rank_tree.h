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

/// A node that one rank has added up by itself. Nodes stand in order; behind each come so many `additions` of the last
/// two sums, as in reverse Polish notation.
struct RankNode {
  int owner;
  int additions;
};
std::vector<RankNode> rank_nodes(int64_t leaves, int ranks);

/// The top of TreeSum's tree, above what each rank adds up by itself.
///
/// It works piece by piece: some neighbouring elements, which have a home, the rank whose slice they lie in. All others
/// send theirs of their nodes there; they are added in the tree's order, and the sum travels back to all, if all are to
/// have it. A piece may set out on each rank as soon as this rank's nodes are final there, in any order, and while
/// other elements are still computed: nothing waits but `finish`.
template <typename T>
class RankTree {
 public:
  using Adder = std::function<void(std::span<T> sum, std::span<const T> more)>;
  RankTree(World& world, int64_t leaves, int64_t length, bool whole, Adder adder);

  size_t pieces() const { return pieces_.size(); }
  Share elements(size_t piece) const { return pieces_[piece].elements; }

  /// A piece of this rank's nodes, which are final there, in ascending order. They belong to the piece until `finish`
  /// returns, as does the place for the sum, which may be the first node's own.
  void depart(size_t piece, std::vector<std::span<T>> nodes, std::span<T> place);

  /// Goes on with all that has departed as far as is possible now. `room` pieces of others' nodes are held at most.
  void go_on(size_t room = plenty);

  /// Returns when the sums are in their places. By then every rank has let all pieces depart, and knows that all have.
  void finish();

  /// After a failure, which all ranks know of: gives up what is under way in this memory.
  void abandon(std::shared_ptr<void> memory);

 private:
  static constexpr size_t plenty = 64, few = 4;

  struct Piece {
    int home = 0;
    Share elements;
    std::vector<std::span<T>> nodes = {};
    std::span<T> place = {};
    std::vector<std::vector<T>> others = {};  // nodes of other ranks
    int under_way = 0;                        // messages
    bool summed = false;                      // at home: added up; elsewhere: sent
  };
  void gather(size_t piece);
  bool over(size_t piece);
  void add_up(Piece& piece);

  World& world_;
  const bool whole_;
  Adder adder_;
  std::vector<Piece> pieces_;
  const std::vector<RankNode> nodes_;  // the lowest of this tree
  const size_t others_;                // how many of them are other ranks'
  std::deque<size_t> queue_;           // at home, to be gathered
  std::vector<size_t> moving_;
  size_t left_ = 0, held_ = 0;
  std::vector<std::vector<T>> spare_;
  Messages messages_;
};

}  // namespace compeer::comm
