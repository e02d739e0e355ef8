#pragma once
#include <boost/config.hpp>

#include "compeer/conversation.h"

namespace compeer {

/// A record of a data file that was skipped because it could not be read.
struct Unreadable {
  std::string file;    ///< path of the data file
  int64_t record = 0;  ///< position in the file, from 1: line number, or index in the list
  std::string reason;  ///< why it could not be read
};

/// Interface of a plugin of the kind "datasets": a mapping from (split, index) to examples. Any rank may request any
/// index, in any order; the results must be equal.
///
/// Threads: calls on one object never overlap. Each rank has its own object.
class BOOST_SYMBOL_VISIBLE Dataset {
 public:
  static constexpr const char* kind = "datasets";
  virtual ~Dataset() = default;

  /// Returns the number of examples in a split ("train", "valid", "test"); 0 for a split that does not exist.
  virtual int64_t size(const std::string& split) const = 0;

  /// Returns the example with this index; 0 <= index < size(split).
  virtual Example get(const std::string& split, int64_t index) = 0;

  /// Returns the records of the dataset's files that were skipped because they could not be read. A plugin that skips
  /// more than its settings allow throws instead.
  virtual std::vector<Unreadable> unreadable() const { return {}; }
};

}  // namespace compeer
