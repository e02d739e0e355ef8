#pragma once
#include <ATen/core/Tensor.h>

#include <boost/config.hpp>

#include "compeer/conversation.h"

namespace compeer {

/// Scores completions. One call scores one prompt's group. Never communicates between ranks.
class BOOST_SYMBOL_VISIBLE Reward {
 public:
  static constexpr const char* kind = "rewards";
  virtual ~Reward() = default;

  /// Names of the columns of `score`. The first is the reward itself, the others are logged beside it.
  virtual std::vector<std::string> parts() const = 0;

  /// float32 [G, parts], finite, in the order of `group.completions`; NaN where `abstains` allows it.
  virtual at::Tensor score(const Group& group) = 0;

  /// True if it may have no opinion of a completion, which NaN then says: other rewards decide alone, and a completion
  /// that nobody judges teaches nothing.
  virtual bool abstains() const { return false; }
};

}  // namespace compeer
