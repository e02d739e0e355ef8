#include "comm/tree_sum.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace compeer::comm {

namespace {

// Vectors travel in pieces that stay in the cache until they are added.
constexpr int64_t piece_length = int64_t{1} << 18;

template <typename T>
void add_to(std::span<T> sum, std::span<const T> more) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

}  // namespace

Share share(int64_t leaves, int size, int rank) {
  const int64_t even = leaves / size, longer = leaves % size;
  return {rank * even + std::min<int64_t>(rank, longer), even + (rank < longer)};
}

int owner(int64_t leaves, int size, int64_t leaf) {
  const int64_t even = leaves / size, longer = leaves % size;
  if (leaf < longer * (even + 1)) return static_cast<int>(leaf / (even + 1));
  return static_cast<int>(longer + (leaf - longer * (even + 1)) / even);
}

Share slice(int64_t length, int64_t block, int size, int rank) {
  const Share blocks = share((length + block - 1) / block, size, rank);
  const int64_t first = std::min(length, blocks.first * block);
  return {first, std::min(length - first, blocks.count * block)};
}

template <typename T>
TreeSumOf<T>::TreeSumOf(World& world, int64_t leaves, int64_t length, Adder adder)
    : world_(world),
      leaves_(leaves),
      length_(length),
      mine_(share(leaves, world.size(), world.rank())),
      next_(mine_.first),
      adder_(adder ? std::move(adder) : Adder(add_to<T>)) {
  if (leaves < 0 || length < 0) throw std::invalid_argument("TreeSum: negative number of leaves or length");
}

template <typename T>
std::vector<T> TreeSumOf<T>::take() {
  if (spare_.empty()) return std::vector<T>(static_cast<size_t>(length_));
  std::vector<T> vector = std::move(spare_.back());
  spare_.pop_back();
  return vector;
}

template <typename T>
void TreeSumOf<T>::add(int64_t leaf, std::span<const T> values) {
  if (leaf != next_ || leaf >= mine_.first + mine_.count) {
    throw std::logic_error("TreeSum: leaf " + std::to_string(leaf) + " added, expected " + std::to_string(next_) +
                           " of " + std::to_string(mine_.first) + ".." + std::to_string(mine_.first + mine_.count - 1));
  }
  if (static_cast<int64_t>(values.size()) != length_) throw std::logic_error("TreeSum: a leaf of another length");
  ++next_;
  const std::span<T> own = room();
  if (values.data() != own.data()) std::copy(values.begin(), values.end(), own.begin());
  nodes_.push_back({0, leaf, std::move(room_)});
  merge();
}

template <typename T>
std::span<T> TreeSumOf<T>::room() {
  reuse_result();
  if (room_.empty()) room_ = take();
  return room_;
}

template <typename T>
void TreeSumOf<T>::reuse_result() {
  if (!result_.empty()) spare_.push_back(std::move(result_));
  result_.clear();
}

// Goes up the tree from the last node as far as this rank's leaves allow.
template <typename T>
void TreeSumOf<T>::merge() {
  for (;;) {
    Node& last = nodes_.back();
    const bool right = last.index % 2 == 1;
    if (right && nodes_.size() > 1 && nodes_[nodes_.size() - 2].level == last.level &&
        nodes_[nodes_.size() - 2].index == last.index - 1) {
      Node& left = nodes_[nodes_.size() - 2];
      adder_(left.sum, last.sum);
      spare_.push_back(std::move(last.sum));
      nodes_.pop_back();
      nodes_.back().level += 1, nodes_.back().index /= 2;
    } else if (!right && last.index > 0 && (last.index + 1) << last.level >= leaves_) {
      last.level += 1, last.index /= 2;  // nothing on the right
    } else {
      return;
    }
  }
}

template <typename T>
typename TreeSumOf<T>::Node* TreeSumOf<T>::find(int64_t first) {
  const auto at =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.index << n.level == first; });
  if (at == nodes_.end()) throw std::logic_error("TreeSum: no node begins at leaf " + std::to_string(first));
  return &*at;
}

// The node of `width` leaves (a power of two) from `first` on. All ranks walk the same tree in the same order, so
// messages never cross; ranks with no part in a node pass by.
template <typename T>
void TreeSumOf<T>::settle(int64_t first, int64_t width) {
  const int64_t end = std::min(first + width, leaves_), middle = first + width / 2;
  if (owner(leaves_, world_.size(), first) == owner(leaves_, world_.size(), end - 1)) return;  // added up as they came
  settle(first, width / 2);
  if (middle >= leaves_) return;
  settle(middle, width / 2);
  exchange(first, middle);
}

template <typename T>
void TreeSumOf<T>::exchange(int64_t left, int64_t right) {
  const int to = owner(leaves_, world_.size(), left), from = owner(leaves_, world_.size(), right);
  if (world_.rank() == from) {
    const auto at = nodes_.begin() + (find(right) - nodes_.data());
    if (to != from) {
      for (int64_t i = 0; i < length_; i += piece_length) {
        world_.send(std::as_bytes(std::span(at->sum).subspan(i, std::min(piece_length, length_ - i))), to);
      }
    } else {
      adder_(find(left)->sum, at->sum);
    }
    spare_.push_back(std::move(at->sum));
    nodes_.erase(at);
  } else if (world_.rank() == to) {
    const std::span<T> sum = find(left)->sum;
    piece_.resize(static_cast<size_t>(std::min(piece_length, length_)));
    for (int64_t i = 0; i < length_; i += piece_length) {
      const std::span<T> piece = std::span(piece_).first(std::min(piece_length, length_ - i));
      world_.receive(std::as_writable_bytes(piece), from);
      adder_(sum.subspan(i, piece.size()), piece);
    }
  }
}

// The sum on rank 0; room for it elsewhere.
template <typename T>
void TreeSumOf<T>::collect() {
  world_.together("sum", [&] {
    if (next_ != mine_.first + mine_.count) {
      throw std::logic_error("TreeSum: finished before leaf " + std::to_string(next_) + " was added");
    }
  });
  if (leaves_ > 0) settle(0, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(leaves_))));
  reuse_result();
  const bool root = leaves_ > 0 && world_.rank() == 0;
  result_ = root ? std::move(nodes_.front().sum) : take();
  if (leaves_ == 0) std::fill(result_.begin(), result_.end(), T{0});
  nodes_.clear();
  next_ = mine_.first;
}

template <typename T>
std::span<T> TreeSumOf<T>::finish() {
  collect();
  world_.broadcast(std::as_writable_bytes(std::span(result_)));
  return result_;
}

template <typename T>
std::span<T> TreeSumOf<T>::finish_slice(int64_t block) {
  collect();
  const auto of = [&](int rank) {
    const Share part = slice(length_, block, world_.size(), rank);
    return std::span(result_).subspan(static_cast<size_t>(part.first), static_cast<size_t>(part.count));
  };
  const auto own = of(world_.rank());
  if (world_.rank() != 0) world_.receive(std::as_writable_bytes(own), 0);
  for (int rank = 1; world_.rank() == 0 && rank < world_.size(); ++rank) world_.send(std::as_bytes(of(rank)), rank);
  return own;
}

template class TreeSumOf<float>;
template class TreeSumOf<double>;

}  // namespace compeer::comm
