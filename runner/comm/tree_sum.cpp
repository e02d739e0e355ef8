// The part of a tree sum that a rank computes locally, as its leaves are added. Its final nodes go to RankTree.
#include "comm/tree_sum.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace compeer::comm {

namespace {

template <typename T>
void add_to(std::span<T> sum, std::span<const T> more) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

}  // namespace

template <typename T>
TreeSumOf<T>::TreeSumOf(World& world, int64_t leaves, int64_t length, Adder adder, Delivery delivery, bool pinned)
    : world_(world),
      leaves_(leaves < 0 || length < 0 ? throw std::invalid_argument("TreeSum: negative number of leaves or length")
                                       : leaves),
      length_(length),
      delivery_(delivery),
      pinned_(pinned),
      mine_(leaves_of_rank(leaves, world.size(), world.rank())),
      next_(mine_.first),
      adder_(adder ? std::move(adder) : Adder(add_to<T>)),
      rank_tree_(world, leaves, length, delivery.early && !delivery.slice, adder_) {}

template <typename T>
TreeSumOf<T>::~TreeSumOf() {
  for (Node& node : nodes_) spare_.push_back(std::move(node.sum));
  for (auto* vector : {&result_, &leaf_buffer_}) spare_.push_back(std::move(*vector));
  rank_tree_.abandon(std::make_shared<std::vector<Zeros<T>>>(std::move(spare_)));
}

template <typename T>
Zeros<T> TreeSumOf<T>::take() {
  if (spare_.empty()) return Zeros<T>(static_cast<size_t>(length_));
  Zeros<T> vector = std::move(spare_.back());
  spare_.pop_back();
  return vector;
}

template <typename T>
void TreeSumOf<T>::put_back(Zeros<T> vector) {
  if (vector.empty()) return;
  if (!pinned_) clear(std::as_writable_bytes(vector.all()));
  spare_.push_back(std::move(vector));
}

template <typename T>
void TreeSumOf<T>::add(int64_t leaf, std::span<const T> values) {
  if (leaf != next_ || leaf >= mine_.first + mine_.count) {
    throw std::logic_error("TreeSum: leaf " + std::to_string(leaf) + " added, expected " + std::to_string(next_) +
                           " of " + std::to_string(mine_.first) + ".." + std::to_string(mine_.first + mine_.count - 1));
  }
  if (static_cast<int64_t>(values.size()) != length_) throw std::logic_error("TreeSum: a leaf of another length");
  const std::span<T> own = next_leaf_buffer();
  if (values.data() != own.data()) {
    if (!marked_.empty()) throw std::logic_error("TreeSum: a leaf that was ready elsewhere");
    std::copy(values.begin(), values.end(), own.begin());
  }
  const Climb top = climb();
  join_rest(top.joined);
  if (early()) {
    begin();
    for (size_t piece = 0; piece < not_final_.size(); ++piece) {
      if (std::exchange(not_final_[piece], 0) > 0) submit_piece(piece);
    }
    rank_tree_.advance();
  }
  settle(top);
  ++next_;
}

template <typename T>
std::span<T> TreeSumOf<T>::next_leaf_buffer() {
  reuse_result();
  if (leaf_buffer_.empty()) leaf_buffer_ = take();
  return leaf_buffer_.all();
}

template <typename T>
void TreeSumOf<T>::reuse_result() {
  put_back(std::exchange(result_, {}));
}

template <typename T>
void TreeSumOf<T>::forget_vectors() {
  reuse_result();
  put_back(std::exchange(leaf_buffer_, {}));
}

// Returns the highest node that the next leaf completes. A node without a right half needs no addition.
template <typename T>
typename TreeSumOf<T>::Climb TreeSumOf<T>::climb() const {
  Climb up{0, next_, 0};
  for (;; ++up.level, up.index /= 2) {
    const bool right = up.index % 2 == 1;
    const Node* const left = up.joined < nodes_.size() ? &nodes_[nodes_.size() - 1 - up.joined] : nullptr;
    if (right && left && left->level == up.level && left->index == up.index - 1) {
      ++up.joined;
    } else if (right || up.index == 0 || (up.index + 1) << up.level < leaves_) {
      return up;
    }  // otherwise the right half is empty: go up without an addition
  }
}

// Adds these elements of the next leaf to the last node, the sum to the node before it, and so on for `joined` nodes.
// Elements that were added are zeroed, unless pinned.
template <typename T>
void TreeSumOf<T>::join(size_t joined, ElementRange elements) {
  std::span<T> right = leaf_buffer_.all();
  for (size_t i = 1; i <= joined; ++i) {
    const std::span<T> left = nodes_[nodes_.size() - i].sum.all();
    adder_(part(left, elements), part(right, elements));
    if (!pinned_) clear(std::as_writable_bytes(part(right, elements)));
    right = left;
  }
}

// Joins the elements of the next leaf that were not marked final.
template <typename T>
void TreeSumOf<T>::join_rest(size_t joined) {
  std::ranges::sort(marked_, {}, &ElementRange::first);
  marked_.push_back({length_, 0});
  int64_t done = 0;
  for (const ElementRange& elements : marked_) {
    if (elements.first > done) join(joined, {done, elements.first - done});
    done = elements.first + elements.count;
  }
  marked_.clear();
}

// Replaces the next leaf and the nodes that it has joined by the node `top`.
template <typename T>
void TreeSumOf<T>::settle(const Climb& top) {
  nodes_.push_back({0, 0, std::move(leaf_buffer_)});
  for (size_t i = 0; i < top.joined; ++i) {
    spare_.push_back(std::move(nodes_.back().sum));
    nodes_.pop_back();
  }
  nodes_.back().level = top.level, nodes_.back().index = top.index;
}

template <typename T>
bool TreeSumOf<T>::early() const {
  return delivery_.early && next_ + 1 == mine_.first + mine_.count;
}

// Before the first elements of the last leaf are sent: determines this rank's final nodes, which are those that the
// leaf does not join and the one in which it ends.
template <typename T>
void TreeSumOf<T>::begin() {
  if (!not_final_.empty()) return;
  const std::span<T> leaf = next_leaf_buffer();
  for (size_t piece = 0; piece < rank_tree_.pieces(); ++piece) not_final_.push_back(rank_tree_.elements(piece).count);
  const size_t joined = climb().joined;
  for (size_t i = 0; i + joined < nodes_.size(); ++i) tops_.push_back(nodes_[i].sum.all());
  tops_.push_back(joined > 0 ? nodes_[nodes_.size() - joined].sum.all() : leaf);
}

template <typename T>
void TreeSumOf<T>::mark_final(ElementRange elements) {
  const auto common = [](ElementRange a, ElementRange b) {
    return std::min(a.first + a.count, b.first + b.count) - std::max(a.first, b.first);
  };
  for (const ElementRange& before : marked_) {
    if (common(before, elements) > 0) throw std::logic_error("TreeSum: elements that were ready before");
  }
  next_leaf_buffer();
  marked_.push_back(elements);
  join(climb().joined, elements);
  if (!early()) return;
  begin();
  for (size_t piece = 0; piece < not_final_.size(); ++piece) {
    const int64_t closed = std::max<int64_t>(common(rank_tree_.elements(piece), elements), 0);
    not_final_[piece] -= closed;
    if (closed > 0 && not_final_[piece] == 0) submit_piece(piece);
  }
  rank_tree_.advance();
}

// Passes a piece of this rank's final nodes to the reduction across ranks.
template <typename T>
void TreeSumOf<T>::submit_piece(size_t piece) {
  std::vector<std::span<T>> parts;
  for (const std::span<T> top : tops_) parts.push_back(part(top, rank_tree_.elements(piece)));
  const std::span<T> place = parts.empty() ? part(result_.all(), rank_tree_.elements(piece)) : parts.front();
  rank_tree_.submit(piece, std::move(parts), place);
}

template <typename T>
std::span<T> TreeSumOf<T>::finish() {
  world_.run_on_all_ranks("sum", [&] {
    if (next_ != mine_.first + mine_.count) {
      throw std::logic_error("TreeSum: finished before leaf " + std::to_string(next_) + " was added");
    }
  });
  if (tops_.empty()) {
    reuse_result();
    if (nodes_.empty()) result_ = take();
    for (Node& node : nodes_) tops_.push_back(node.sum.all());
    for (size_t piece = 0; piece < rank_tree_.pieces(); ++piece) submit_piece(piece);
  }
  rank_tree_.finish();
  // The sum was written to the first node.
  if (!nodes_.empty()) result_ = std::move(nodes_.front().sum);
  for (size_t i = 1; i < nodes_.size(); ++i) put_back(std::move(nodes_[i].sum));
  nodes_.clear(), tops_.clear(), not_final_.clear();
  next_ = mine_.first;
  // All-gathers at the end, because without early sending there is nothing to overlap with returning pieces one by one.
  if (!delivery_.early && !delivery_.slice) all_gather(world_, result_.all(), slice_block);
  const ElementRange own = slice(length_, slice_block, world_.size(), world_.rank());
  return delivery_.slice ? part(result_.all(), own) : result_.all();
}

template class TreeSumOf<float>;
template class TreeSumOf<double>;

}  // namespace compeer::comm
