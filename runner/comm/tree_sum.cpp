#include "comm/tree_sum.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace compeer::comm {

namespace {

// Vectors travel in pieces that stay in the cache until they are added.
constexpr int64_t piece_length = int64_t{1} << 18;

template <typename T>
std::span<T> part(std::span<T> of, Share elements) {
  return of.subspan(static_cast<size_t>(elements.first), static_cast<size_t>(elements.count));
}

template <typename Work>
void in_pieces(Share of, Work work) {
  for (int64_t done = 0; done < of.count; done += piece_length)
    work(Share{of.first + done, std::min(piece_length, of.count - done)});
}

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
typename TreeSumOf<T>::Node& TreeSumOf<T>::find(int64_t first) {
  const auto at =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.index << n.level == first; });
  if (at == nodes_.end()) throw std::logic_error("TreeSum: no node begins at leaf " + std::to_string(first));
  return *at;
}

// This rank's part of the elements that another one looks after: node after node, as that one asks for them.
template <typename T>
void TreeSumOf<T>::send(int to) {
  in_pieces(slice(length_, block, world_.size(), to), [&](Share piece) {
    for (const Node& node : nodes_) world_.post(std::as_bytes(part(std::span(node.sum), piece)), to);
  });
}

// Some elements of the node of `width` leaves (a power of two) from `first` on: where they stand, or in the piece
// `slot` or a later one.
template <typename T>
std::span<T> TreeSumOf<T>::total(int64_t first, int64_t width, Share elements, size_t slot) {
  const int64_t end = std::min(first + width, leaves_), middle = first + width / 2;
  const int whose = owner(leaves_, world_.size(), first);
  if (whose == owner(leaves_, world_.size(), end - 1)) {  // added up as its leaves came
    if (whose == world_.rank()) return part(std::span(find(first).sum), elements);
    if (pieces_.size() <= slot) pieces_.resize(slot + 1);
    pieces_[slot].resize(static_cast<size_t>(elements.count));
    world_.receive(std::as_writable_bytes(std::span(pieces_[slot])), whose);
    return pieces_[slot];
  }
  const auto left = total(first, width / 2, elements, slot);
  if (middle >= leaves_) return left;
  const auto right = total(middle, width / 2, elements, slot + 1);
  adder_(left, right);
  return left;
}

// This rank's slice of the sum, in its place in `result_`: where its first node stood, if it has any.
template <typename T>
void TreeSumOf<T>::collect() {
  world_.together("sum", [&] {
    if (next_ != mine_.first + mine_.count) {
      throw std::logic_error("TreeSum: finished before leaf " + std::to_string(next_) + " was added");
    }
  });
  reuse_result();
  if (nodes_.empty()) result_ = take();
  if (leaves_ == 0) std::fill(result_.begin(), result_.end(), T{0});
  const std::span<T> result = nodes_.empty() ? std::span(result_) : std::span(nodes_.front().sum);
  const auto whole = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(leaves_)));
  for (int rank = 0; leaves_ > 0 && rank < world_.size(); ++rank) {
    if (rank != world_.rank()) send(rank);
  }
  in_pieces(slice(length_, block, world_.size(), world_.rank()), [&](Share piece) {
    if (leaves_ == 0) return;
    const auto sum = total(0, whole, piece, 0);
    if (sum.data() != part(result, piece).data()) std::ranges::copy(sum, part(result, piece).begin());
  });
  world_.delivered();
  if (!nodes_.empty()) result_ = std::move(nodes_.front().sum);
  for (size_t i = 1; i < nodes_.size(); ++i) spare_.push_back(std::move(nodes_[i].sum));
  nodes_.clear();
  next_ = mine_.first;
}

template <typename T>
std::span<T> TreeSumOf<T>::finish() {
  collect();
  share_slices(world_, std::span(result_), block);
  return result_;
}

template <typename T>
std::span<T> TreeSumOf<T>::finish_slice() {
  collect();
  return part(std::span(result_), slice(length_, block, world_.size(), world_.rank()));
}

template <typename T>
void share_slices(World& world, std::span<T> whole, int64_t block) {
  const auto of = [&](int rank) {
    return part(whole, slice(static_cast<int64_t>(whole.size()), block, world.size(), rank));
  };
  for (int rank = 0; rank < world.size(); ++rank) {
    if (rank != world.rank()) world.post(std::as_bytes(of(world.rank())), rank);
  }
  for (int rank = 0; rank < world.size(); ++rank) {
    if (rank != world.rank()) world.receive(std::as_writable_bytes(of(rank)), rank);
  }
  world.delivered();
}

template void share_slices(World&, std::span<float>, int64_t);
template void share_slices(World&, std::span<double>, int64_t);
template class TreeSumOf<float>;
template class TreeSumOf<double>;

}  // namespace compeer::comm
