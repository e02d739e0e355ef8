#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace compeer {

/// Gives the pages that lie wholly in this memory back to the system: what it holds is lost, the room stays. For memory
/// that is wanted again later, and for what is freed where freed memory is kept. Less than a mebibyte stays: the system
/// would take longer to give it anew than one saves.
inline void forget(void* memory, size_t bytes) {
  constexpr uintptr_t kPage = 4096, kLeast = uintptr_t{1} << 20;
  const auto begin = reinterpret_cast<uintptr_t>(memory), from = (begin + kPage - 1) / kPage * kPage,
             to = (begin + bytes) / kPage * kPage;
  if (to >= from + kLeast) ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

}  // namespace compeer
