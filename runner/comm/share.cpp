// How leaves and array elements are divided among ranks.
#include "comm/share.h"

#include <algorithm>

namespace compeer::comm {

ElementRange leaves_of_rank(int64_t leaves, int size, int rank) {
  const int64_t even = leaves / size, longer = leaves % size;
  return {rank * even + std::min<int64_t>(rank, longer), even + (rank < longer)};
}

int owner(int64_t leaves, int size, int64_t leaf) {
  const int64_t even = leaves / size, longer = leaves % size;
  if (leaf < longer * (even + 1)) return static_cast<int>(leaf / (even + 1));
  return static_cast<int>(longer + (leaf - longer * (even + 1)) / even);
}

ElementRange slice(int64_t length, int64_t block, int size, int rank) {
  const ElementRange blocks = leaves_of_rank((length + block - 1) / block, size, rank);
  const int64_t first = std::min(length, blocks.first * block);
  return {first, std::min(length - first, blocks.count * block)};
}

template <typename T>
void all_gather(World& world, std::span<T> whole, int64_t block) {
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

template void all_gather(World&, std::span<float>, int64_t);
template void all_gather(World&, std::span<double>, int64_t);

}  // namespace compeer::comm
