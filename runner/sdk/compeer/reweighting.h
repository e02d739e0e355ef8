#pragma once
#include <ATen/core/Tensor.h>

#include <boost/config.hpp>

#include "compeer/conversation.h"

namespace compeer {

/// Turns the rewards of one prompt's group into the rewards that advantages are computed from.
class BOOST_SYMBOL_VISIBLE Reweighting {
 public:
  static constexpr const char* kind = "reweighting";
  virtual ~Reweighting() = default;

  /// Names of the columns after the first of `reweight`: what the new reward was computed from, for the log.
  virtual std::vector<std::string> factors() const = 0;

  /// rewards float64 [G] -> float64 [G, 1 + factors], finite: column 0 is the new reward.
  virtual at::Tensor reweight(const Group& group, const at::Tensor& rewards) = 0;
};

}  // namespace compeer
