#pragma once
#include <cstdint>
#include <span>

#include "comm/world.h"

namespace compeer::comm {

/// The contiguous range [first, first + count) of leaves, or of array elements.
struct ElementRange {
  int64_t first = 0;
  int64_t count = 0;
};

/// Returns the leaves that `rank` owns if `leaves` leaves are divided among `size` ranks: contiguous blocks, as equal
/// as possible, the longer ones first. Empty for ranks >= `leaves`.
ElementRange leaves_of_rank(int64_t leaves, int size, int rank);

/// Returns the rank that owns `leaf` by `leaves_of_rank`.
int owner(int64_t leaves, int size, int64_t leaf);

inline constexpr int64_t slice_block = 1024;  ///< slices of gradients are multiples of this number of elements

/// Returns the elements of an array of `length` that `rank` owns: whole blocks of `block` elements, divided by
/// `leaves_of_rank`.
ElementRange slice(int64_t length, int64_t block, int size, int rank);

/// Returns the subspan of these elements.
template <typename T>
std::span<T> part(std::span<T> of, ElementRange elements) {
  return of.subspan(static_cast<size_t>(elements.first), static_cast<size_t>(elements.count));
}

/// Collective. All-gathers `whole` in place: on entry each rank's own `slice` is valid, on return all of it is.
template <typename T>
void all_gather(World& world, std::span<T> whole, int64_t block);

}  // namespace compeer::comm
