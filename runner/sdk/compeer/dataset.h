#pragma once
#include <boost/config.hpp>

#include "compeer/conversation.h"

namespace compeer {

/// A record of a data file that could not be read, and was left out.
struct Unreadable {
  std::string file;
  int64_t record = 0;  ///< from 1: the line, the element of the list
  std::string reason;
};

/// A mapping (split, index) -> example. Any rank asks for any index, in any order, and gets the same bytes.
///
/// Threads: one thread calls an object at a time. Each rank has an object of its own.
class BOOST_SYMBOL_VISIBLE Dataset {
 public:
  static constexpr const char* kind = "datasets";
  virtual ~Dataset() = default;

  /// Examples in a split ("train", "valid", "test"); 0 for a split it does not have.
  virtual int64_t size(const std::string& split) const = 0;

  /// 0 <= index < size(split).
  virtual Example get(const std::string& split, int64_t index) = 0;

  /// What had to be left out of its files. A plugin that leaves out more than its settings allow throws instead.
  virtual std::vector<Unreadable> unreadable() const { return {}; }
};

}  // namespace compeer
