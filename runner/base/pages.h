#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace compeer {

/// Gives the pages that lie wholly in this memory back to the system: what it holds is lost, the room stays. For memory
/// that is wanted again later, and for what is freed where freed memory is kept.
inline void forget(void* memory, size_t bytes) {
  constexpr uintptr_t kPage = 4096;
  const auto begin = reinterpret_cast<uintptr_t>(memory), from = (begin + kPage - 1) / kPage * kPage,
             to = (begin + bytes) / kPage * kPage;
  if (to > from) ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

}  // namespace compeer
