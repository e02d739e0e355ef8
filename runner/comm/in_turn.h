#pragma once
#include <span>
#include <type_traits>

#include "comm/world.h"

namespace compeer::comm {

/// Collective. A value on its way through all ranks, in their order: each makes `work(value)` of it. Everyone gets what
/// the last one makes, as if one rank had done it all. `work` must not throw.
template <typename T, typename Work>
T in_turn(World& world, T value, Work work) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_writable_bytes(std::span(&value, 1));
  if (world.rank() > 0) world.receive(bytes, world.rank() - 1);
  value = work(value);
  if (world.rank() + 1 < world.size()) world.send(bytes, world.rank() + 1);
  world.broadcast(bytes, world.size() - 1);
  return value;
}

}  // namespace compeer::comm
