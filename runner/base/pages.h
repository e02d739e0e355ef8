#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace compeer {

inline constexpr size_t kHugePage = size_t{2} << 20;

/// Whether forget() and clear() keep pages instead of giving them to the system, which takes long to make new ones:
/// faster, in more memory. Each plugin has its own. Set before other threads start.
inline bool pages_kept = false;

/// Gives the pages that lie wholly in this memory back to the system: what it holds is lost, the room stays. For memory
/// that is wanted again later, and for what is freed where freed memory is kept. Less than a huge page stays: to give
/// it anew would take the system longer than one saves. Returns what went, which is zeros when it is read again:
/// nothing if `pages_kept`.
inline std::span<std::byte> forget(void* memory, size_t bytes, size_t page = 4096) {
  const auto begin = reinterpret_cast<uintptr_t>(memory), from = (begin + page - 1) / page * page,
             to = (begin + bytes) / page * page;
  if (pages_kept || to < from + kHugePage) return {};
  auto* const pages = reinterpret_cast<std::byte*>(from);
  if (::madvise(pages, to - from, MADV_DONTNEED) != 0) return {};
  return {pages, to - from};
}

/// Fills memory of `Zeros` with zeros again, as far as it can by giving pages back unless `pages_kept`.
inline void clear(std::span<std::byte> memory) {
  const auto gone = forget(memory.data(), memory.size(), kHugePage);
  if (gone.empty()) {
    std::memset(memory.data(), 0, memory.size());
  } else {
    std::memset(memory.data(), 0, static_cast<size_t>(gone.data() - memory.data()));
    std::memset(gone.data() + gone.size(), 0,
                static_cast<size_t>(memory.data() + memory.size() - gone.data() - gone.size()));
  }
}

/// Numbers that are zero at first. The system gives memory to those only that are written to: in huge pages, for small
/// ones take it longer than all that is computed with them.
template <typename T>
class Zeros {
 public:
  Zeros() = default;
  explicit Zeros(size_t count) : bytes_(count * sizeof(T)) {
    if (bytes_ == 0) return;
    void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    ::madvise(memory, bytes_, MADV_HUGEPAGE);  // where there are any
    numbers_ = static_cast<T*>(memory);
  }
  Zeros(Zeros&& other) noexcept
      : numbers_(std::exchange(other.numbers_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Zeros& operator=(Zeros&& other) noexcept {
    std::swap(numbers_, other.numbers_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Zeros() {
    if (numbers_) ::munmap(numbers_, bytes_);
  }
  std::span<T> all() const { return {numbers_, bytes_ / sizeof(T)}; }
  bool empty() const { return bytes_ == 0; }

 private:
  T* numbers_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace compeer
