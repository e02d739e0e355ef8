#pragma once
#include <boost/config.hpp>
#include <cstdint>
#include <string>

namespace compeer {

class Similarity;

/// What a plugin sees of the program that runs it. Lives as long as the plugin.
class BOOST_SYMBOL_VISIBLE Host {
 public:
  virtual ~Host() = default;

  /// A line in the run's log, with the plugin's name before it.
  virtual void log(const std::string& message) = 0;

  /// Uniform in [0, 1): a function of (the run's seed, this plugin, a, b, c) and of nothing else.
  virtual double random(uint32_t a, uint32_t b = 0, uint32_t c = 0) = 0;

  /// The similarity plugin of that name with its default settings. Owned by the host.
  virtual Similarity& similarity(const std::string& name) = 0;

  /// The folder the plugin's library lies in: data files that ship with a plugin are found from here.
  virtual std::string folder() const = 0;

  /// True once the run is to stop: long work should return early.
  virtual bool cancelled() const = 0;
};

}  // namespace compeer
