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

/// The little of HDF5 that run files and rollouts need, with handles that close themselves and errors that name the
/// file. Only this room's sources include it. Why these modes and no others: docs/storage.md.
namespace compeer::record::hdf {

/// Set when a write to a file has failed. HDF5 then holds data it can't get rid of, and closing anything of that file
/// may crash (1.10.8 does): such handles are left alone until the process ends, which it is about to do.
using Broken = std::shared_ptr<bool>;

/// Owns an HDF5 identifier of any kind.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id, Broken broken = nullptr) : id_(id), broken_(std::move(broken)) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), broken_(std::move(other.broken_)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(broken_, other.broken_);
    return *this;
  }
  ~Handle() {
    if (!close() && broken_) *broken_ = true;
  }
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// False if closing meant writing, and that failed.
  bool close() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || (broken_ && *broken_) || H5Idec_ref(id) >= 0;
  }

 private:
  hid_t id_ = -1;
  Broken broken_;
};

/// An open file, and its path for messages.
struct OpenFile {
  std::filesystem::path file;
  Handle handle;
  Broken broken;
  uint64_t bytes = 0;    ///< of the file when it was opened
  int descriptor = -1;   ///< of one opened for appending

  /// hdf::fail() for this file.
  [[noreturn]] void fail(const std::string& what) const;
  /// Closes a file whose datasets are closed. Throws like fail(), also if one of those couldn't be.
  void close();
  hid_t must(hid_t result, const std::string& what) const {
    if (result < 0) fail(what);
    return result;
  }
  bool has(const std::string& path) const;  ///< also if part of the path is missing
  std::string text_attribute(const std::string& name) const;
  void text_attribute(const std::string& name, std::string_view value) const;
};

/// The reason why the last HDF5 call failed. If a system call failed, strerror's text.
std::string last_error();
/// The errno of the system call that made the last HDF5 call fail; 0 if HDF5 itself refused.
int last_errno();
/// Throws Error for `file` after a failed HDF5 call: `what`, and last_error(). Exit 1 if the system failed, exit 4 if
/// the file is at fault.
[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what);

/// A new file in paged file space, replacing one that is there. Datasets can be made in it until it is closed.
OpenFile create(const std::filesystem::path& file);
/// Goes on with a file that was closed properly: single writer, many readers (SWMR); no datasets can be made.
OpenFile open_for_appending(const std::filesystem::path& file);
/// Opens a file in whatever state its writer is or left it: closed, live, killed.
OpenFile open_for_reading(const std::filesystem::path& file);
/// What open_for_reading falls back on where a plain open refuses, as after a kill between two writes that belong
/// together: a copy in the temporary folder, mended, and gone when closed. The file itself is never touched.
OpenFile open_mended_copy(const std::filesystem::path& file);
/// The bytes handed to the system so far reach the disk.
void sync(const OpenFile& file);

/// The type of T in memory and in files (little-endian).
template <class T>
hid_t memory_type();
template <class T>
hid_t file_type();

/// One growing 1-D dataset: append or overwrite, never more. The path may have groups, made when absent. Compressed
/// ones have checksums too; those of files that grow can't, for a kill may tear what they cover. In a file that is open
/// for appending, a dataset grows by whole chunks, so that most writes change no metadata (what counts of it is said
/// elsewhere), and go straight to their place in the file.
class Array {
 public:
  Array() = default;
  static Array create(const OpenFile& place, const std::string& path, hid_t type, hsize_t chunk,
                      bool compressed = false);
  static Array open(const OpenFile& place, const std::string& path);

  hsize_t size() const;
  /// Writes `count` elements at `offset`, growing the dataset if they reach past its end.
  void write(hsize_t offset, hsize_t count, const void* elements, hid_t memory);
  void read(hsize_t offset, hsize_t count, void* elements, hid_t memory) const;
  void flush();
  void cut(hsize_t size);  ///< takes off what lies behind so many elements

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
  /// The first `count` elements of another, into an empty one.
  template <class T>
  void copy(const Array& from, hsize_t count) {
    constexpr hsize_t block = hsize_t{1} << 20;
    for (hsize_t at = 0; at < count; at += block) write<T>(at, from.read<T>(at, std::min(block, count - at)));
  }
  /// The first element, which was written when the dataset was made. HDF5 reads zeros behind the end of a file that was
  /// cut off: here they are an Error.
  uint64_t first() const;
  void check_rising(const std::vector<uint64_t>& bounds) const;  ///< the ends of a damaged file may be anything
  void check_range(hsize_t offset, hsize_t count) const;         ///< before memory is spent on it

 private:
  void set_extent(hsize_t size);
  bool write_in_place(hsize_t offset, hsize_t count, const void* elements, hid_t memory);
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_to_write(const std::string& what, const std::string& why) const;

  std::filesystem::path file_;
  std::string name_;
  Broken broken_;
  Handle dataset_;
  hsize_t size_ = 0, growth_ = 1;
  int descriptor_ = -1;     // of a file open for appending
  bool unflushed_ = false;  // HDF5 has been given something to write
  std::optional<hsize_t> chunk_;  // whose place is known
  haddr_t chunk_at_ = 0;
  uint64_t file_bytes_ = 0;  // when it was opened; 0: unknown
};

}  // namespace compeer::record::hdf
