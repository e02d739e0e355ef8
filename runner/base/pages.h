#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace compeer {

inline constexpr size_t huge_page = size_t{2} << 20;

/// If true, forget() and clear() return no pages to the system. This is faster, as new pages are expensive, and takes
/// more memory. The program and each plugin have a variable of their own. Set between steps, when no kernel runs.
inline bool pages_kept = false;

/// Gives the pages that lie wholly in this memory back to the system: what it holds is lost, the room stays. For memory
/// that is wanted again later, and for what is freed where freed memory is kept. Less than a huge page stays: to give
/// it anew would take the system longer than one saves. Returns the part that went, which is zeros when it is read
/// again; an empty span if `pages_kept` or if the system refuses.
inline std::span<std::byte> forget(void* memory, size_t bytes, size_t page = 4096) {
  const auto begin = reinterpret_cast<uintptr_t>(memory), from = (begin + page - 1) / page * page,
             to = (begin + bytes) / page * page;
  if (pages_kept || to < from + huge_page) return {};
  auto* const pages = reinterpret_cast<std::byte*>(from);
  if (::madvise(pages, to - from, MADV_DONTNEED) != 0) return {};
  return {pages, to - from};
}

/// Sets all bytes of memory of a `Zeros` to zero: by returning whole huge pages to the system, or, if `pages_kept`, by
/// writing.
inline void clear(std::span<std::byte> memory) {
  const auto gone = forget(memory.data(), memory.size(), huge_page);
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
