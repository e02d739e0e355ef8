#pragma once
#include <span>
#include <string>
#include <vector>

#include "record/hdf.h"

namespace compeer::record::hdf {

/// Lists of different lengths in an HDF5 file, such as the tokens of each completion. Two datasets: `<path>/<items>`
/// contains the items of all lists, one list after the other; `<path>/ends` contains the index after each list's last
/// item. (HDF5's own variable-length types can't be read while a writer has the file open, nor be compressed.)
///
/// To write, call add() for each list, then write(). A newly opened object reads only; to append, call resume_at()
/// first. Functions throw as hdf::fail(): Error with exit code 1 (system failure) or 4 (invalid data).
template <class T>
class Ragged {
 public:
  /// Creates both datasets, empty. `chunk`: items per HDF5 chunk.
  static Ragged create(const OpenFile& h5, const std::string& path, const std::string& items, hsize_t chunk,
                       bool compressed = false) {
    Ragged made;
    made.items_ = Array::create(h5, path + "/" + items, file_type<T>(), chunk, compressed);
    made.ends_ = Array::create(h5, path + "/ends", file_type<uint64_t>(), 1024, compressed);
    return made;
  }
  /// Opens both datasets. Throws Error (exit code 4) if one is missing.
  static Ragged open(const OpenFile& h5, const std::string& path, const std::string& items) {
    Ragged opened;
    opened.items_ = Array::open(h5, path + "/" + items);
    opened.ends_ = Array::open(h5, path + "/ends");
    return opened;
  }

  /// Buffers a list in memory.
  void add(std::span<const T> list) {
    new_items_.insert(new_items_.end(), list.begin(), list.end());
    new_ends_.push_back(end_ + new_items_.size());
  }
  /// Writes all buffered lists after those already written.
  void write() {
    items_.template write<T>(end_, new_items_);
    ends_.template write<uint64_t>(count_, new_ends_);
    count_ += new_ends_.size();
    end_ += new_items_.size();
    new_items_.clear();
    new_ends_.clear();
  }
  /// Passes data that HDF5 has buffered to the system.
  void flush() {
    items_.flush();
    ends_.flush();
  }
  /// Removes the unused ends of the datasets, after the last list written.
  void truncate() {
    items_.truncate(end_);
    ends_.truncate(count_);
  }
  uint64_t count() const { return count_; }  ///< number of lists written; 0 in an object that only reads
  uint64_t end() const { return end_; }      ///< number of items in all lists written; 0 in an object that only reads
  /// Copies the first `count` lists of another dataset into this empty one.
  void copy(const Ragged& from, uint64_t count) {
    const auto bounds = from.bounds(0, count);
    ends_.template write<uint64_t>(0, std::span(bounds).subspan(1));
    items_.template copy<T>(from.items_, bounds.back());
    count_ = count;
    end_ = bounds.back();
  }
  /// Prepares for appending: write() then continues after the first `count` lists.
  void resume_at(uint64_t count) {
    count_ = count;
    end_ = count ? ends_.template read<uint64_t>(count - 1, 1)[0] : 0;
  }

  /// Throws Error (exit code 4) unless list number `list` exists.
  void check_has(uint64_t list) const { ends_.check_range(list, 1); }

  /// Returns the boundaries of lists [first, first + count) in the items, count + 1 ascending numbers: list first + i
  /// has the items [bounds[i], bounds[i + 1]).
  std::vector<uint64_t> bounds(uint64_t first, uint64_t count) const {
    auto bounds = first ? ends_.template read<uint64_t>(first - 1, count + 1) : ends_.template read<uint64_t>(0, count);
    if (!first) bounds.insert(bounds.begin(), 0);
    ends_.check_rising(bounds);
    return bounds;
  }
  /// Returns lists [first, first + count): [list][item].
  std::vector<std::vector<T>> read(uint64_t first, uint64_t count) const {
    const auto at = bounds(first, count);
    const auto items = items_.template read<T>(at.front(), at.back() - at.front());
    std::vector<std::vector<T>> lists;
    for (uint64_t i = 0; i < count; ++i) {
      lists.emplace_back(items.begin() + static_cast<std::ptrdiff_t>(at[i] - at[0]),
                         items.begin() + static_cast<std::ptrdiff_t>(at[i + 1] - at[0]));
    }
    return lists;
  }

 private:
  Array items_, ends_;
  std::vector<T> new_items_;        ///< items of all buffered lists
  std::vector<uint64_t> new_ends_;  ///< end of each buffered list, as an index into the whole items dataset
  uint64_t count_ = 0, end_ = 0;    ///< number of lists written, and of their items
};

/// Texts of different lengths, as lists of bytes.
using RaggedText = Ragged<char>;

}  // namespace compeer::record::hdf
