#pragma once
#include <boost/config.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace compeer {

/// Interface of a plugin of the kind "similarity": cosine similarity of texts, which rewards and reweightings use to
/// find redundant or repetitive texts.
///
/// Threads: calls on one object never overlap.
class BOOST_SYMBOL_VISIBLE Similarity {
 public:
  static constexpr const char* kind = "similarity";
  virtual ~Similarity() = default;

  /// Returns the cosine similarity of each text of `a` and each of `b`, indexed [text of a][text of b], in [-1, 1]; 0
  /// if one of the two has no content. A value depends only on the two texts.
  virtual std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                                   const std::vector<std::string>& b) = 0;

  /// Like `compare`, but ignores words that the texts repeat from the texts `said`, the turns to which they reply.
  /// Throws if the similarity does not support this (the default), even for empty lists, so that callers can test for
  /// support.
  virtual std::vector<std::vector<double>> compare_ignoring(const std::vector<std::string>& /*said*/,
                                                            const std::vector<std::string>& /*a*/,
                                                            const std::vector<std::string>& /*b*/) {
    throw std::runtime_error("can't ignore words copied from the user's turns");
  }
};

}  // namespace compeer
