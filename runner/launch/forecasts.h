#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::launch {

/// What runs that haven't begun will take, at most, by arithmetic (worker/forecast.h): for dry runs. A run may read
/// what one before it makes.
class Forecasts {
 public:
  /// Of a run in this folder, lines to stand below its own: computing, memory, requests, cost. "" if nothing is known.
  std::string lines(const spec::Spec& spec, const std::string& folder);

  /// Of all of them; "" if nothing is known.
  std::string totals() const;

 private:
  struct Made {
    nlohmann::json forecast;
    spec::json model;   // the table of the spec, or null
    std::string alike;  // the same for runs whose forecasts are
  };
  const Made* maker_of(const std::string& path) const;
  std::string alike(const spec::Spec& spec) const;
  nlohmann::json question(const spec::Spec& spec) const;

  std::map<std::string, Made> made_;             // by folder
  std::map<std::string, nlohmann::json> known_;  // by what is alike
  std::map<std::string, nlohmann::json> requests_;
  double operations_ = 0, streamed_ = 0, on_cpus_alone_ = 0, disk_ = 0;
};

}  // namespace compeer::launch
