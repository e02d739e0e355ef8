#pragma once
#include <string>
#include <utility>
#include <vector>

#include "compeer/dataset.h"
#include "data/outcomes.h"
#include "plugin/open.h"

namespace compeer::data {

/// A dataset as records: {"id", "split", "turns": [{"role", "text"}] and the "pictures" they show, "reference" if the
/// example has an answer}, and all that the example's own record says, if that is an object; of one without a history
/// its own "turns".
class RecordSource {
 public:
  /// No splits: train, valid and test, of which some may be empty. `most`: records of a split, the first; 0: all.
  /// Throws Error (exit 4) if there is no record, or none in a split that is named.
  RecordSource(plugin::Plugin<Dataset>& dataset, const std::vector<std::string>& splits, int64_t most = 0);

  int64_t size() const { return total_; }
  nlohmann::json record(int64_t index);
  PortionResult make(int64_t first, int64_t count, const Glimpse& glimpse);

  /// What the plugin had to leave out of its files, as dropped.
  PortionResult unreadable();

 private:
  plugin::Plugin<Dataset>& dataset_;
  std::vector<std::pair<std::string, int64_t>> splits_;  // with their sizes
  int64_t total_ = 0;
};

}  // namespace compeer::data
