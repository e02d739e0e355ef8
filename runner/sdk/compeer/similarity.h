#pragma once
#include <boost/config.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace compeer {

/// Cosine similarity of texts.
///
/// Threads: calls on one object never overlap.
class BOOST_SYMBOL_VISIBLE Similarity {
 public:
  static constexpr const char* kind = "similarity";
  virtual ~Similarity() = default;

  /// Returns [a.size()][b.size()]: the cosine similarity of each text of `a` and each of `b`, in [-1, 1]; 0 if one of
  /// the two has no content. A value depends only on the two texts.
  virtual std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                                   const std::vector<std::string>& b) = 0;

  /// Like `compare`, but ignores whatever the texts repeat from the texts `said`, which they reply to. Throws if the
  /// similarity does not support this (the default), even for empty lists, so that callers can test for support.
  virtual std::vector<std::vector<double>> compare_ignoring(const std::vector<std::string>& /*said*/,
                                                            const std::vector<std::string>& /*a*/,
                                                            const std::vector<std::string>& /*b*/) {
    throw std::runtime_error("can't ignore words copied from the user's turns");
  }
};

}  // namespace compeer
