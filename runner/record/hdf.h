#pragma once
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A small wrapper of HDF5 for run files and rollouts, with RAII handles and errors that name the file. Internal to
/// this folder. docs/storage.md explains the HDF5 modes.
namespace compeer::record::hdf {

/// Flag of an open file, true after a write has failed. HDF5 then holds data that it can't write, and closing anything
/// of that file may crash (1.10.8 does), so its handles are leaked until the process ends.
using WriteFailed = std::shared_ptr<bool>;

/// Owner of an HDF5 identifier of any kind. Leaks it if `write_failed` is set.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id, WriteFailed broken = nullptr) : id_(id), write_failed_(std::move(broken)) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), write_failed_(std::move(other.write_failed_)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(write_failed_, other.write_failed_);
    return *this;
  }
  ~Handle() {
    if (!close() && write_failed_) *write_failed_ = true;
  }
  hid_t get() const { return id_; }  ///< the identifier; -1 if this object owns none
  explicit operator bool() const { return id_ >= 0; }
  /// Closes the identifier. Returns false if that failed, because buffered data could not be written.
  bool close() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || (write_failed_ && *write_failed_) || H5Idec_ref(id) >= 0;
  }

 private:
  hid_t id_ = -1;
  WriteFailed write_failed_;  // null: the identifier belongs to no file
};

/// An open HDF5 file.
struct OpenFile {
  std::filesystem::path file;  ///< path, for messages
  Handle handle;               ///< HDF5's file identifier
  WriteFailed write_failed;    ///< shared by all handles of the file
  uint64_t bytes = 0;          ///< size of the file when it was opened; 0 if unknown
  int descriptor = -1;         ///< file descriptor if opened for appending, otherwise -1

  /// Calls hdf::fail() for this file.
  [[noreturn]] void fail(const std::string& what) const;
  /// Closes the file, whose datasets must be closed. Throws as fail() if this, or closing a dataset, failed.
  void close();
  /// Returns `result`; calls fail(what) if it is negative.
  hid_t check(hid_t result, const std::string& what) const {
    if (result < 0) fail(what);
    return result;
  }
  /// True if the path exists in this file. Links to other places or files count as missing.
  bool has(const std::string& path) const;
  /// Reads an attribute of the root; "" if it is missing or not a text. The second form creates one.
  std::string text_attribute(const std::string& name) const;
  void text_attribute(const std::string& name, std::string_view value) const;
};

/// The reason why the last HDF5 call failed. If a system call failed, strerror's text.
std::string last_error();
/// The errno of the system call that made the last HDF5 call fail; 0 if HDF5 itself refused.
int last_errno();
/// Throws Error for `file` after a failed HDF5 call, with the text `what` and last_error(). Exit 1 if a system call
/// failed, exit 4 if the file is at fault.
[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what);

/// Creates a file with paged file space; replaces an existing one. Datasets can be created until it is closed.
OpenFile create(const std::filesystem::path& file);
/// Opens a properly closed file for appending, in SWMR mode (single writer, multiple readers). No datasets can be
/// created.
OpenFile open_for_appending(const std::filesystem::path& file);
/// Opens a file that is closed, still being written, or left by a killed writer. Falls back to open_mended_copy.
OpenFile open_for_reading(const std::filesystem::path& file);
/// Opens a repaired copy of a file that HDF5 refuses to open, for example after a kill between two related writes. The
/// copy is in the temporary folder and disappears when it is closed. The original file is not changed.
OpenFile open_mended_copy(const std::filesystem::path& file);
/// Flushes everything written so far to disk.
void sync(const OpenFile& file);

/// The HDF5 type of T in memory and in files (little-endian).
template <class T>
hid_t memory_type();
template <class T>
hid_t file_type();

/// An extendible one-dimensional dataset. In a file that is open for appending, it grows by whole chunks, so that most
/// writes change no metadata and are written in place, bypassing HDF5; the number of valid elements is stored in
/// another dataset. Functions throw as hdf::fail().
class Array {
 public:
  Array() = default;
  /// Creates an empty dataset, with the groups of its path. `chunk`: elements per chunk. Compressed datasets have
  /// checksums; datasets of growing files can't have any, because a kill may tear the data that they cover.
  static Array create(const OpenFile& place, const std::string& path, hid_t type, hsize_t chunk,
                      bool compressed = false);
  /// Opens a dataset. Throws Error (exit 4) if it is missing, not one-dimensional, stored in another file, or larger
  /// than the file can contain.
  static Array open(const OpenFile& place, const std::string& path);

  hsize_t size() const;  ///< number of elements, including the unused rest of the last chunk
  /// Writes `count` elements of the type `memory` at `offset`, and extends the dataset if needed.
  void write(hsize_t offset, hsize_t count, const void* elements, hid_t memory);
  /// Reads `count` elements from `offset` on, converted to the type `memory`. Does not check the range.
  void read(hsize_t offset, hsize_t count, void* elements, hid_t memory) const;
  void flush();                 ///< passes data buffered by HDF5 to the system
  void truncate(hsize_t size);  ///< truncates the dataset to `size` elements if it is longer

  // The same for elements of type T; `read` checks the range.
  template <class T>
  void write(hsize_t offset, std::span<const T> elements) {
    write(offset, elements.size(), elements.data(), memory_type<T>());
  }
  template <class T>
  std::vector<T> read(hsize_t offset, hsize_t count) const {
    check_range(offset, count);
    std::vector<T> elements(count);
    read(offset, count, elements.data(), memory_type<T>());
    return elements;
  }
  /// Copies the first `count` elements of another dataset into this empty one.
  template <class T>
  void copy(const Array& from, hsize_t count) {
    constexpr hsize_t block = hsize_t{1} << 20;
    for (hsize_t at = 0; at < count; at += block) write<T>(at, from.read<T>(at, std::min(block, count - at)));
  }
  /// Returns the first element, which must have been written. Throws Error (exit 4) if it lies past the end of a
  /// truncated file, where HDF5 would read zeros.
  uint64_t first_element() const;
  void check_rising(const std::vector<uint64_t>& bounds) const;  ///< throws Error (exit 4) unless they are ascending
  void check_range(hsize_t offset, hsize_t count) const;         ///< throws Error (exit 4) if past the end

 private:
  void set_extent(hsize_t size);  // changes the number of elements
  // Writes with pwrite to the file offset of the elements' chunk. Returns false, without writing, if that is
  // impossible: the file is not open for appending, the elements are not in one existing chunk, or the chunk is not
  // allocated.
  bool write_in_place(hsize_t offset, hsize_t count, const void* elements, hid_t memory);
  [[noreturn]] void fail(const std::string& what) const;  // hdf::fail for this dataset
  // Throws Error (exit code 1: the system failed) for a failed write and sets `broken_`.
  [[noreturn]] void fail_to_write(const std::string& what, const std::string& why) const;

  std::filesystem::path file_;  // the file, for messages
  std::string name_;            // path of the dataset in it
  WriteFailed broken_;          // the file's flag
  Handle dataset_;
  hsize_t size_ = 0, growth_ = 1;  // number of elements; it grows to a multiple of `growth_`
  int descriptor_ = -1;            // file descriptor if the file is open for appending
  bool unflushed_ = false;         // HDF5 may have buffered data
  std::optional<hsize_t> chunk_;   // index of the chunk at file offset `chunk_at_`
  haddr_t chunk_at_ = 0;
  uint64_t file_bytes_ = 0;  // size of the file when it was opened; 0: unknown
};

}  // namespace compeer::record::hdf
