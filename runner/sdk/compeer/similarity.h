#pragma once
#include <ATen/core/Tensor.h>

#include <boost/config.hpp>
#include <string>
#include <vector>

namespace compeer {

/// How alike texts are.
class BOOST_SYMBOL_VISIBLE Similarity {
 public:
  static constexpr const char* kind = "similarity";
  virtual ~Similarity() = default;

  /// float64 [a, b]: the cosine of each text of `a` with each of `b`, in [-1, 1]. A text without content is 0 to all.
  virtual at::Tensor compare(const std::vector<std::string>& a, const std::vector<std::string>& b) = 0;
};

}  // namespace compeer
