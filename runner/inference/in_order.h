#pragma once
#include <map>
#include <string>

#include "inference/json_lines.h"

namespace compeer::inference {

/// Answers come in any order; they are put out in the order of their places 0, 1, 2, ...
class InOrder {
 public:
  void put(size_t place, std::string line) {
    waiting_[place] = std::move(line);
    for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
      put_line(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }

 private:
  std::map<size_t, std::string> waiting_;
  size_t next_ = 0;
};

}  // namespace compeer::inference
