// The part of a tree sum that needs communication: pieces of vectors are sent to the ranks that own them, added there
// in the tree's order, and sent back.
#include "comm/rank_tree.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace compeer::comm {

namespace {

// Elements of a piece: small enough to stay in the cache until they are added.
constexpr int64_t piece_length = int64_t{1} << 18;

// Appends the RankNodes below the node that covers `width` leaves (a power of two) from `first` on.
void add_nodes(int64_t leaves, int ranks, int64_t first, int64_t width, std::vector<RankNode>& nodes) {
  const int64_t end = std::min(first + width, leaves), middle = first + width / 2;
  const int whose = owner(leaves, ranks, first);
  if (whose == owner(leaves, ranks, end - 1)) return nodes.push_back({whose, 0});  // its owner sums it locally
  add_nodes(leaves, ranks, first, width / 2, nodes);
  if (middle >= leaves) return;
  add_nodes(leaves, ranks, middle, width / 2, nodes);
  ++nodes.back().additions;
}

}  // namespace

std::vector<RankNode> rank_nodes(int64_t leaves, int ranks) {
  std::vector<RankNode> nodes;
  if (leaves > 0)
    add_nodes(leaves, ranks, 0, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(leaves))), nodes);
  return nodes;
}

template <typename T>
RankTree<T>::RankTree(World& world, int64_t leaves, int64_t length, bool whole, Adder adder)
    : world_(world),
      whole_(whole),
      adder_(std::move(adder)),
      pieces_([&] {
        std::vector<Piece> all;
        for (int home = 0; home < world.size(); ++home) {
          const ElementRange own = slice(length, slice_block, world.size(), home);
          for (int64_t done = 0; done < own.count; done += piece_length)
            all.push_back({home, {own.first + done, std::min(piece_length, own.count - done)}});
        }
        return all;
      }()),
      nodes_(rank_nodes(leaves, world.size())),
      others_(static_cast<size_t>(
          std::ranges::count_if(nodes_, [&](const RankNode& node) { return node.owner != world.rank(); }))),
      unfinished_(pieces_.size()),
      messages_(world, static_cast<int64_t>(pieces_.size())) {}

template <typename T>
void RankTree<T>::submit(size_t which, std::vector<std::span<T>> nodes, std::span<T> place) {
  Piece& piece = pieces_[which];
  piece.nodes = std::move(nodes), piece.place = place;
  if (piece.home == world_.rank()) return queue_.push_back(which);
  for (const auto& node : piece.nodes)
    messages_.send_async(std::as_bytes(node), piece.home, static_cast<int64_t>(which), piece.pending);
  moving_.push_back(which);
}

template <typename T>
void RankTree<T>::advance(size_t room) {
  messages_.poll();
  for (bool moved = true; moved;) {
    moved = false;
    while (!queue_.empty() && (held_ == 0 || held_ + others_ <= room)) {
      gather(queue_.front());
      queue_.pop_front();
    }
    for (size_t i = 0; i < moving_.size();) {
      if (pieces_[moving_[i]].pending == 0 && advance_piece(moving_[i])) {
        moving_.erase(moving_.begin() + static_cast<std::ptrdiff_t>(i));
        --unfinished_;
        moved = true;
      } else {
        ++i;
      }
    }
  }
}

template <typename T>
void RankTree<T>::gather(size_t which) {
  Piece& piece = pieces_[which];
  for (const RankNode& node : nodes_) {
    if (node.owner == world_.rank()) continue;
    if (spare_.empty()) spare_.emplace_back();
    piece.others.push_back(std::move(spare_.back()));
    spare_.pop_back();
    piece.others.back().resize(static_cast<size_t>(piece.elements.count));
    messages_.receive_async(std::as_writable_bytes(std::span(piece.others.back())), node.owner,
                            static_cast<int64_t>(which), piece.pending);
  }
  held_ += others_;
  moving_.push_back(which);
}

// Takes the next step of a piece that has no message under way: receives or computes the sum, then sends it. Returns
// true if the piece is finished.
template <typename T>
bool RankTree<T>::advance_piece(size_t which) {
  Piece& piece = pieces_[which];
  if (std::exchange(piece.summed, true)) return true;
  const auto mark = static_cast<int64_t>(which);
  if (piece.home != world_.rank()) {
    if (whole_) messages_.receive_async(std::as_writable_bytes(piece.place), piece.home, mark, piece.pending);
    return !whole_;
  }
  add_up(piece);
  for (int rank = 0; whole_ && rank < world_.size(); ++rank) {
    if (rank != world_.rank()) messages_.send_async(std::as_bytes(piece.place), rank, mark, piece.pending);
  }
  return piece.pending == 0;
}

template <typename T>
void RankTree<T>::add_up(Piece& piece) {
  std::vector<std::span<T>> sums;
  auto own = piece.nodes.begin();
  auto other = piece.others.begin();
  for (const RankNode& node : nodes_) {
    sums.push_back(node.owner == world_.rank() ? *own++ : std::span(*other++));
    for (int i = 0; i < node.additions; ++i) {
      const auto right = sums.back();
      sums.pop_back();
      adder_(sums.back(), right);
    }
  }
  if (sums.empty()) {
    std::ranges::fill(piece.place, T{0});
  } else if (sums.front().data() != piece.place.data()) {
    std::ranges::copy(sums.front(), piece.place.begin());
  }
  for (auto& buffer : piece.others) spare_.push_back(std::move(buffer));
  piece.others.clear();
  held_ -= others_;
}

template <typename T>
void RankTree<T>::finish() {
  for (advance(few); unfinished_ > 0; advance(few)) messages_.wait();
  unfinished_ = pieces_.size();
  for (Piece& piece : pieces_) piece.summed = false;
}

template <typename T>
void RankTree<T>::abandon(std::shared_ptr<void> memory) {
  if (messages_.none()) return;
  std::vector<std::vector<T>> others;
  for (Piece& piece : pieces_) std::ranges::move(piece.others, std::back_inserter(others));
  messages_.abandon(std::make_shared<std::pair<std::shared_ptr<void>, std::vector<std::vector<T>>>>(std::move(memory),
                                                                                                    std::move(others)));
}

template class RankTree<float>;
template class RankTree<double>;

}  // namespace compeer::comm
