#pragma once
#include <string>
#include <vector>

#include "lua/edge.h"

// Strings and vectors that C++ library functions build for a Lua script. Their memory counts towards the script's
// memory limit, so that library functions can't exceed it. An allocation beyond the limit halts the script: it ends
// with an error that it can't catch.

namespace compeer::lua {

/// Standard allocator that counts its memory towards the limit of the script that runs in `L`.
template <typename T>
struct CountingAllocator {
  using value_type = T;

  explicit CountingAllocator(lua_State* state) : L(state) {}
  template <typename Other>
  CountingAllocator(const CountingAllocator<Other>& other) : L(other.L) {}

  T* allocate(size_t count) {
    charge_memory(L, count * sizeof(T));
    try {
      return std::allocator<T>().allocate(count);
    } catch (...) {
      sandbox(L).budget().release(count * sizeof(T));
      throw;
    }
  }
  void deallocate(T* place, size_t count) noexcept {
    sandbox(L).budget().release(count * sizeof(T));
    std::allocator<T>().deallocate(place, count);
  }
  bool operator==(const CountingAllocator& other) const { return L == other.L; }

  lua_State* L;  ///< the script's Lua state; must outlive the memory
};

/// std::string and std::vector with memory that counts towards a script's limit.
using CountedText = std::basic_string<char, std::char_traits<char>, CountingAllocator<char>>;
template <typename T>
using CountedVector = std::vector<T, CountingAllocator<T>>;

/// While it exists, memory that is allocated without CountingAllocator, such as a JSON value, counts towards a script's
/// limit. The destructor releases all that was added.
class MemoryCharge {
 public:
  explicit MemoryCharge(lua_State* L) : L_(L) {}
  ~MemoryCharge() { sandbox(L_).budget().release(bytes_); }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

  /// Counts `bytes` more. Halts the script beyond its limit.
  void add(size_t bytes) {
    charge_memory(L_, bytes);
    bytes_ += bytes;
  }

 private:
  lua_State* L_;
  size_t bytes_ = 0;  // number of bytes added
};

}  // namespace compeer::lua
