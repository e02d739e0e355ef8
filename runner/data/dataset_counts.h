#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/dataset.h"
#include "plugin/open.h"

namespace compeer::data {

/// Least, mean and most of what was measured.
struct Extent {
  int64_t count = 0, least = 0, most = 0, sum = 0;
  void add(int64_t value);
  double mean() const { return count ? static_cast<double>(sum) / static_cast<double>(count) : 0.0; }
};

/// How often a label has each value.
struct LabelTable {
  int64_t given = 0, missing = 0;  ///< missing: it is null
  std::map<std::string, int64_t> values;
};

/// What is in a data set, or in a split of it.
struct DatasetCounts {
  int64_t dialogues = 0, empty = 0;                              ///< empty: without a turn
  std::map<std::string, int64_t> turns;                          ///< by role
  std::map<std::string, std::map<std::string, int64_t>> splits;  ///< train -> dialogues, turns
  Extent per_dialogue, rounds;                    ///< turns of a dialogue, those of the assistant that answer
  std::map<std::string, Extent> lengths;          ///< of a turn, by role: words, or characters of languages without spaces
  bool in_characters = false;                     ///< lengths are characters
  std::map<std::string, LabelTable> labels;       ///< of a dialogue, in Example::record; inner ones with a dot
  std::map<std::string, LabelTable> turn_labels;  ///< of a turn: "assistant.strategy"
  std::vector<Unreadable> unreadable;
};

/// Reads all examples. An answer that an example has counts as its last turn. Labels of turns are those that
/// record["labels"] lists beside the history (plugins/corpora/README.md).
DatasetCounts count(plugin::Plugin<Dataset>& dataset);

nlohmann::ordered_json counts_json(const DatasetCounts& counts);

}  // namespace compeer::data
