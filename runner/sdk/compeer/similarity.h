#pragma once
#include <boost/config.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace compeer {

/// How alike texts are.
///
/// Threads: one thread calls an object at a time.
class BOOST_SYMBOL_VISIBLE Similarity {
 public:
  static constexpr const char* kind = "similarity";
  virtual ~Similarity() = default;

  /// [a][b]: the cosine of each text of `a` with each of `b`, in [-1, 1]. A text without content is 0 to all. The same
  /// texts give the same numbers, whatever is compared together.
  virtual std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                                   const std::vector<std::string>& b) = 0;

  /// The same of texts that answer `said`: what they took from there makes them no more alike. A similarity that can't
  /// leave it out throws, as this does, also for no texts at all: so one can find out beforehand.
  virtual std::vector<std::vector<double>> compare_beyond(const std::vector<std::string>& /*said*/,
                                                          const std::vector<std::string>& /*a*/,
                                                          const std::vector<std::string>& /*b*/) {
    throw std::runtime_error("can't leave out what was said before");
  }
};

}  // namespace compeer
