#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::launch {

/// For dry runs: what runs read, and the memory of their ranks (worker/preview.h).
class Preview {
 public:
  /// `folder`: the run's. A run may read what those added before it make.
  void add(const spec::Spec& spec, const std::string& folder);

  /// A few lines for each run; "" if there are none.
  std::string text() const;

 private:
  std::vector<std::string> names_;
  nlohmann::json runs_ = nlohmann::json::array();
};

}  // namespace compeer::launch
