#pragma once
#include <cstdint>
#include <span>

#include "comm/world.h"

// How work and arrays are divided among the ranks (processes) of a run. A leaf is one of the vectors that are summed
// over all ranks, such as the gradient of a micro-batch; each rank computes the leaves that it owns.

namespace compeer::comm {

/// The contiguous range [first, first + count) of leaves, or of array elements.
struct ElementRange {
  int64_t first = 0;
  int64_t count = 0;
};

/// Returns the range of leaves that `rank` owns if `leaves` leaves are divided among `size` ranks: contiguous blocks,
/// as equal as possible, the longer ones first. Empty for ranks >= `leaves`.
ElementRange leaves_of_rank(int64_t leaves, int size, int rank);

/// Returns the rank that owns `leaf` by `leaves_of_rank`.
int owner(int64_t leaves, int size, int64_t leaf);

/// Block size of slices of gradients and weights, in elements.
inline constexpr int64_t slice_block = 1024;

/// Returns the range of elements of an array of `length` that `rank` owns, its slice: whole blocks of `block` elements
/// (the last one may be shorter), divided among `size` ranks by `leaves_of_rank`.
ElementRange slice(int64_t length, int64_t block, int size, int rank);

/// Returns the elements `elements` of the array `of`.
template <typename T>
std::span<T> part(std::span<T> of, ElementRange elements) {
  return of.subspan(static_cast<size_t>(elements.first), static_cast<size_t>(elements.count));
}

/// Collective. All-gathers `whole` in place: on entry each rank's own slice (with blocks of `block` elements) is valid,
/// on return the complete array is valid on all ranks.
template <typename T>
void all_gather(World& world, std::span<T> whole, int64_t block);

}  // namespace compeer::comm
