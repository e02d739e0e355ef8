#pragma once
#include <string>
#include <utility>
#include <vector>

#include "compeer/dataset.h"
#include "data/outcomes.h"
#include "plugin/open.h"

namespace compeer::data {

/// The examples of a dataset as records: the fields of Example::record, and
///   {"id", "split", "turns": [{"role", "text", "pictures" if any}], "reference": the answer, if any}
/// An example without history keeps the "turns" of its own record. Keeps a reference to `dataset`.
class RecordSource {
 public:
  /// `splits`: the splits to read, one after the other; empty: train, valid and test, some of which may be empty.
  /// `most`: maximum number of records of a split, the first ones; 0: all. Throws Error (exit 4) if a named split, or
  /// everything, is empty.
  RecordSource(plugin::Plugin<Dataset>& dataset, const std::vector<std::string>& splits, int64_t most = 0);

  int64_t size() const { return total_; }  ///< number of records of all splits
  /// Returns the record at an index in [0, size()).
  nlohmann::json record(int64_t index);
  /// Returns records [first, first + count) as a portion. Throws (exit 5) if the plugin's text is not UTF-8.
  PortionResult make(int64_t first, int64_t count, const Summarizer& summarize);

  /// Returns the unreadable records of the dataset's files as dropped records.
  PortionResult unreadable();

 private:
  plugin::Plugin<Dataset>& dataset_;
  std::vector<std::pair<std::string, int64_t>> splits_;  // with their sizes
  int64_t total_ = 0;
};

}  // namespace compeer::data
