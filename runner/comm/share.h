#pragma once
#include <cstdint>
#include <span>

#include "comm/world.h"

namespace compeer::comm {

/// The leaves first, first + 1, ..., first + count - 1 that a rank owns; or elements of an array.
struct Share {
  int64_t first = 0;
  int64_t count = 0;
};

/// Contiguous blocks as even as possible, the longer ones first. Ranks beyond `leaves` get none.
Share share(int64_t leaves, int size, int rank);

/// The rank whose share holds the leaf.
int owner(int64_t leaves, int size, int64_t leaf);

inline constexpr int64_t slice_block = 1024;  ///< elements; slices of gradients are whole blocks

/// How the elements of an array of `length` are shared: whole blocks of `block`, evenly.
Share slice(int64_t length, int64_t block, int size, int rank);

template <typename T>
std::span<T> part(std::span<T> of, Share elements) {
  return of.subspan(static_cast<size_t>(elements.first), static_cast<size_t>(elements.count));
}

/// Collective. Gives every rank the slices of all others.
template <typename T>
void share_slices(World& world, std::span<T> whole, int64_t block);

}  // namespace compeer::comm
