#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

/// Allocation and release of large arrays, such as gradients and copies of weights. Physical memory is allocated when a
/// page is first written, and can be returned to the system while the addresses stay valid.
namespace compeer {

inline constexpr size_t huge_page = size_t{2} << 20;  ///< size of a huge page of Linux in bytes: 2 MiB

/// If true, release_pages() and clear() return no pages to the system: faster, because new pages are expensive, but
/// more memory is used. The program and each plugin have their own copy of this variable. Set it only between training
/// steps, when no kernel runs.
inline bool pages_kept = false;

/// Releases the physical pages that lie completely in the `bytes` bytes at `memory` to the system (MADV_DONTNEED).
/// Their contents are lost, the addresses stay valid. For memory that is used again later, and for freed memory that
/// the allocator keeps. Does nothing if there is less than a huge page to release, because faulting it in again would
/// cost more than it saves. `page`: alignment in bytes of the released part, a multiple of the system's page size.
/// Returns the released part, which reads as zeros; empty if nothing was released (also if `pages_kept` is true or the
/// system refuses).
inline std::span<std::byte> release_pages(void* memory, size_t bytes, size_t page = 4096) {
  const auto begin = reinterpret_cast<uintptr_t>(memory), from = (begin + page - 1) / page * page,
             to = (begin + bytes) / page * page;
  if (pages_kept || to < from + huge_page) return {};
  auto* const pages = reinterpret_cast<std::byte*>(from);
  if (::madvise(pages, to - from, MADV_DONTNEED) != 0) return {};
  return {pages, to - from};
}

/// Sets all bytes of a `Zeros` array to zero: by releasing whole huge pages to the system and writing zeros to the
/// rest, or by writing zeros only if `pages_kept` is true.
inline void clear(std::span<std::byte> memory) {
  const auto gone = release_pages(memory.data(), memory.size(), huge_page);
  if (gone.empty()) {
    std::memset(memory.data(), 0, memory.size());
  } else {
    std::memset(memory.data(), 0, static_cast<size_t>(gone.data() - memory.data()));
    std::memset(gone.data() + gone.size(), 0,
                static_cast<size_t>(memory.data() + memory.size() - gone.data() - gone.size()));
  }
}

/// An owning array of zero-initialized numbers of a trivial type T, allocated by mmap. Physical memory is allocated
/// only for elements that are written, in huge pages, because faulting in small pages would take longer than the
/// computation.
template <typename T>
class Zeros {
 public:
  Zeros() = default;
  /// Allocates `count` numbers. Throws std::bad_alloc if that fails.
  explicit Zeros(size_t count) : bytes_(count * sizeof(T)) {
    if (bytes_ == 0) return;
    void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    ::madvise(memory, bytes_, MADV_HUGEPAGE);  // fails if the system has no huge pages, which is ignored
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
  /// Returns all elements; valid as long as this object.
  std::span<T> all() const { return {numbers_, bytes_ / sizeof(T)}; }
  bool empty() const { return bytes_ == 0; }

 private:
  T* numbers_ = nullptr;  ///< start of the mapping; null if empty
  size_t bytes_ = 0;      ///< size of the mapping
};

}  // namespace compeer
