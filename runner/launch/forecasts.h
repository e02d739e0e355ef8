#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::launch {

/// What runs that haven't begun will take, at most, by arithmetic (worker/forecast.h): for dry runs. A run may read
/// what one before it makes.
class Forecasts {
 public:
  void add(const spec::Spec& spec, const std::string& folder);

  /// Of each run and in all: computing, memory, requests, cost; "" if there are none.
  std::string text() const;

 private:
  std::vector<std::string> names_;
  nlohmann::json runs_ = nlohmann::json::array();
};

}  // namespace compeer::launch
