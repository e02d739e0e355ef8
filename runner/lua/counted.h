#pragma once
#include <string>
#include <vector>

#include "lua/edge.h"

/// Texts and vectors that C++ makes while a script waits. Their memory is the script's, so that no function of the
/// library is a way around its limit: one that would pass it halts the script.
namespace compeer::lua {

template <typename T>
struct Counted {
  using value_type = T;

  explicit Counted(lua_State* state) : L(state) {}
  template <typename Other>
  Counted(const Counted<Other>& other) : L(other.L) {}

  T* allocate(size_t count) {
    hold(L, count * sizeof(T));
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
  bool operator==(const Counted& other) const { return L == other.L; }

  lua_State* L;
};

using CountedText = std::basic_string<char, std::char_traits<char>, Counted<char>>;
template <typename T>
using CountedVector = std::vector<T, Counted<T>>;

/// Counts what is made without such an allocator, such as a JSON value, for as long as this lives.
class Held {
 public:
  explicit Held(lua_State* L) : L_(L) {}
  ~Held() { sandbox(L_).budget().release(bytes_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  void add(size_t bytes) {
    hold(L_, bytes);
    bytes_ += bytes;
  }

 private:
  lua_State* L_;
  size_t bytes_ = 0;
};

}  // namespace compeer::lua
