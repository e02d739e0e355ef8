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

/// A small wrapper of the HDF5 library for the two kinds of HDF5 files in a run's folder: run.h5, the log of the run,
/// and the rollout files, which contain sampled completions. RAII handles, and errors that name the file. Internal to
/// this folder.
///
/// A file is created with all its datasets, closed, and opened again for appending in SWMR mode (single writer,
/// multiple readers). Other processes can then read it at any time, also after the writer was killed. docs/storage.md
/// has the reasons.
namespace compeer::record::hdf {

/// Flag of one open file, shared by all its handles: true after a write to the file has failed. HDF5 then holds data
/// that it can't write, and closing anything of that file may crash (1.10.8 does), so its handles are leaked until the
/// process ends. Null for identifiers that belong to no file.
using WriteFailed = std::shared_ptr<bool>;

/// Owner of an HDF5 identifier of any kind (file, dataset, type, property list). Closes it when destroyed, but leaks it
/// after a failed write to its file.
class Handle {
 public:
  Handle() = default;
  /// Takes ownership of `id`; negative: HDF5 failed, and the handle is empty. `write_failed`: flag of the file.
  explicit Handle(hid_t id, WriteFailed write_failed = nullptr) : id_(id), write_failed_(std::move(write_failed)) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), write_failed_(std::move(other.write_failed_)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(write_failed_, other.write_failed_);
    return *this;
  }
  ~Handle() {
    if (!close() && write_failed_) *write_failed_ = true;
  }
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }  ///< true if it owns an identifier
  /// Closes the identifier, or leaks it after a failed write. Returns false if closing failed, because data that HDF5
  /// had buffered could not be written.
  bool close() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || (write_failed_ && *write_failed_) || H5Idec_ref(id) >= 0;
  }

 private:
  hid_t id_ = -1;  ///< negative: empty
  WriteFailed write_failed_;
};

/// An open HDF5 file. Its datasets (Array) must be closed before it.
struct OpenFile {
  std::filesystem::path file;  ///< path, for messages
  Handle handle;               ///< the HDF5 identifier of the file; empty if no file is open
  WriteFailed write_failed;    ///< flag that all handles of this file share
  uint64_t bytes = 0;          ///< size of the file when it was opened; 0 if unknown
  int descriptor = -1;         ///< HDF5's file descriptor if the file is open for appending, otherwise -1; not owned

  /// Throws like hdf::fail(), for this file.
  [[noreturn]] void fail(const std::string& what) const;
  /// Closes the file. Throws as fail() if this, or an earlier write or closing of a dataset, failed.
  void close();
  /// Returns `result`, the result of an HDF5 call. Calls fail(what) if it is negative, as after a failed call.
  hid_t check(hid_t result, const std::string& what) const {
    if (result < 0) fail(what);
    return result;
  }
  /// True if a dataset or group exists at `path` ("events/step") in this file. Soft and external links count as
  /// missing, so that no path leads out of the file.
  bool has(const std::string& path) const;
  /// Returns the text of an attribute of the file's root; "" if it is missing or not a text.
  std::string text_attribute(const std::string& name) const;
  /// Creates a text attribute of the file's root. Throws as fail() if it exists.
  void text_attribute(const std::string& name, std::string_view value) const;
};

/// Returns the reason why this thread's last HDF5 call failed. If a system call failed, that is its strerror() text.
std::string last_error();
/// Returns the errno of the system call that made the last HDF5 call fail; 0 if no system call failed.
int last_errno();
/// Throws Error for `file` after a failed HDF5 call, with the text "<what>: <last_error()>". The exit code is 1 (system
/// failure) if a system call failed because of the disk or the machine, otherwise 4 (invalid data).
[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what);

/// Creates a file, or replaces an existing one. Datasets can be created until it is closed. Space in the file is
/// allocated in pages of 4096 bytes, so that a kill of the writer does not tear small objects.
OpenFile create(const std::filesystem::path& file);
/// Opens a properly closed file for appending to its datasets, in SWMR mode. No datasets can be created.
OpenFile open_for_appending(const std::filesystem::path& file);
/// Opens a file for reading: properly closed, still being written, or left by a killed writer. Falls back to
/// open_mended_copy(). Throws Error (exit code 4) if the file is missing, damaged or truncated.
OpenFile open_for_reading(const std::filesystem::path& file);
/// Opens a repaired copy of a file that HDF5 refuses to open, for example because its writer was killed between two
/// related writes. The copy is in the temporary folder and disappears when it is closed. The original file is
/// unchanged.
OpenFile open_mended_copy(const std::filesystem::path& file);
/// Flushes everything written so far to disk (fsync), so that it survives a power failure.
void sync(const OpenFile& file);

/// Return the HDF5 type of T: in memory, and in files (little-endian). T is double, float, uint64_t, int32_t, uint8_t
/// or char (as uint8_t). The types belong to HDF5 and must not be closed.
template <class T>
hid_t memory_type();
template <class T>
hid_t file_type();

/// An open, extendible, one-dimensional dataset. Offsets, counts and sizes are in elements. Functions throw as
/// hdf::fail().
///
/// HDF5 stores a dataset in chunks of equal size. In a file that is open for appending, the dataset grows by whole
/// chunks, so that most writes change no metadata and overwrite allocated bytes, bypassing HDF5. size() then exceeds
/// the number of valid elements, which the file stores in another dataset.
class Array {
 public:
  Array() = default;
  /// Creates an empty dataset, and the groups of its path. `type`: element type in the file (file_type). `chunk`:
  /// elements per chunk. `compressed`: with deflate and checksums. Datasets of growing files can't have either, because
  /// a kill may tear the data that a checksum covers.
  static Array create(const OpenFile& h5, const std::string& path, hid_t type, hsize_t chunk, bool compressed = false);
  /// Opens a dataset. Throws Error (exit code 4) if it is missing, not one-dimensional, stored in another file, or
  /// larger than the file can contain.
  static Array open(const OpenFile& h5, const std::string& path);

  hsize_t size() const;  ///< number of elements, including the unused rest of the last chunk
  /// Writes `count` elements at `offset`, and extends the dataset if needed. `memory`: memory_type() of the dataset's
  /// element type.
  void write(hsize_t offset, hsize_t count, const void* elements, hid_t memory);
  /// Reads `count` elements at `offset` into `elements`, converted to the type `memory`. Throws Error (exit code 4) if
  /// they are past the end.
  void read(hsize_t offset, hsize_t count, void* elements, hid_t memory) const;
  void flush();                 ///< passes data that HDF5 has buffered to the system (without fsync)
  void truncate(hsize_t size);  ///< truncates the dataset to `size` elements if it is longer

  /// The same for elements of type T, which must be the dataset's type when writing.
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
  /// Copies the first `count` elements of another dataset into this empty one, about a million at a time.
  template <class T>
  void copy(const Array& from, hsize_t count) {
    constexpr hsize_t block = hsize_t{1} << 20;
    for (hsize_t at = 0; at < count; at += block) write<T>(at, from.read<T>(at, std::min(block, count - at)));
  }
  /// Returns the first element of a dataset of uint64, such as a number of rows. It must have been written. Throws
  /// Error (exit code 4) if it lies past the end of a truncated file, where HDF5 would read zeros.
  uint64_t first_element() const;
  /// Throws Error (exit code 4) that names this dataset unless `bounds`, numbers read from it, are in ascending order.
  void check_rising(const std::vector<uint64_t>& bounds) const;
  /// Throws Error (exit code 4) unless elements [offset, offset + count) exist.
  void check_range(hsize_t offset, hsize_t count) const;

 private:
  void set_extent(hsize_t size);  ///< extends or truncates the dataset to `size` elements
  /// Writes directly to the file, bypassing HDF5. Returns false, without writing, if HDF5 must write the elements: the
  /// file is not open for appending, or the elements are not within one allocated chunk.
  bool write_in_place(hsize_t offset, hsize_t count, const void* elements, hid_t memory);
  [[noreturn]] void fail(const std::string& what) const;  ///< throws as hdf::fail(), with the dataset's name
  /// Sets the flag that a write failed, and throws Error (exit code 1). `why`: text that contains the system's message.
  [[noreturn]] void fail_to_write(const std::string& what, const std::string& why) const;

  std::filesystem::path file_;  ///< path of the file, for messages
  std::string name_;            ///< path of the dataset within the file
  WriteFailed write_failed_;    ///< flag of the file
  Handle dataset_;
  hsize_t size_ = 0;  ///< number of elements in the file, valid or not
  /// Elements per chunk if the file is open for appending, otherwise 1. The dataset grows by multiples of it.
  hsize_t chunk_size_ = 1;
  int descriptor_ = -1;     ///< file descriptor if the file is open for appending, otherwise -1; not owned
  bool unflushed_ = false;  ///< true if HDF5 may have buffered data
  std::optional<hsize_t> located_chunk_;  ///< index of the chunk that was written last in place
  haddr_t chunk_offset_ = 0;              ///< byte offset of that chunk in the file
  uint64_t file_bytes_ = 0;               ///< size of the file when it was opened; 0: unknown
};

}  // namespace compeer::record::hdf
