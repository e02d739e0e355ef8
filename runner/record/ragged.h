#pragma once
#include <span>
#include <string>
#include <vector>

#include "record/hdf.h"

namespace compeer::record::hdf {

/// A dataset of lists of different lengths, concatenated in `<path>/<items>`; `<path>/ends` holds the index after each
/// list's last item. (HDF5's own variable-length types can't be read while a writer has the file open, nor be
/// compressed.) Functions throw as hdf::fail().
template <class T>
class Ragged {
 public:
  /// Create the two datasets, or open existing ones. `chunk`: items per HDF5 chunk. `items`: name of the items'
  /// dataset.
  static Ragged create(const OpenFile& place, const std::string& path, const std::string& items, hsize_t chunk,
                       bool compressed = false) {
    Ragged made;
    made.items_ = Array::create(place, path + "/" + items, file_type<T>(), chunk, compressed);
    made.ends_ = Array::create(place, path + "/ends", file_type<uint64_t>(), 1024, compressed);
    return made;
  }
  static Ragged open(const OpenFile& place, const std::string& path, const std::string& items) {
    Ragged opened;
    opened.items_ = Array::open(place, path + "/" + items);
    opened.ends_ = Array::open(place, path + "/ends");
    return opened;
  }

  /// Appends a list to a buffer in memory.
  void add(std::span<const T> list) {
    new_items_.insert(new_items_.end(), list.begin(), list.end());
    new_ends_.push_back(end_ + new_items_.size());
  }
  /// Writes the buffered lists after the existing ones and empties the buffer.
  void write() {
    items_.template write<T>(end_, new_items_);
    ends_.template write<uint64_t>(count_, new_ends_);
    count_ += new_ends_.size();
    end_ += new_items_.size();
    new_items_.clear();
    new_ends_.clear();
  }
  /// Passes data buffered by HDF5 to the system.
  void flush() {
    items_.flush();
    ends_.flush();
  }
  void truncate() {  ///< truncates the datasets to the lists written
    items_.truncate(end_);
    ends_.truncate(count_);
  }
  uint64_t count() const { return count_; }  ///< number of lists written
  uint64_t end() const { return end_; }      ///< number of items in all lists written
  /// Copies the first `count` lists of another dataset into this empty one.
  void copy(const Ragged& from, uint64_t count) {
    const auto bounds = from.bounds(0, count);
    ends_.template write<uint64_t>(0, std::span(bounds).subspan(1));
    items_.template copy<T>(from.items_, bounds.back());
    count_ = count;
    end_ = bounds.back();
  }
  void resume_at(uint64_t count) {  ///< continues after the first `count` lists
    count_ = count;
    end_ = count ? ends_.template read<uint64_t>(count - 1, 1)[0] : 0;
  }

  void check_has(uint64_t list) const { ends_.check_range(list, 1); }  ///< throws Error (exit 4) without this list

  /// Offsets of lists [first, first + count) in the items: count + 1 ascending numbers.
  std::vector<uint64_t> bounds(uint64_t first, uint64_t count) const {
    auto bounds = first ? ends_.template read<uint64_t>(first - 1, count + 1) : ends_.template read<uint64_t>(0, count);
    if (!first) bounds.insert(bounds.begin(), 0);
    ends_.check_rising(bounds);
    return bounds;
  }
  /// Returns lists [first, first + count).
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
  Array items_, ends_;              // the datasets
  std::vector<T> new_items_;        // items of the buffered lists
  std::vector<uint64_t> new_ends_;  // index after the last item of each buffered list, in the dataset
  uint64_t count_ = 0, end_ = 0;    // results of count() and end()
};

/// A dataset of texts, as lists of bytes.
using RaggedText = Ragged<char>;

}  // namespace compeer::record::hdf
