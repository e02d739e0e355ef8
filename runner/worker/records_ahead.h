#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/dataset.h"
#include "compeer/forecast.h"
#include "plugin/open.h"

namespace compeer::worker {

/// What a dry run can tell of a dataset's splits, by looking at the first records of each; `most`: records of a split;
/// 0: all.
Forecast look_at(plugin::Plugin<Dataset>& dataset, const std::vector<std::string>& splits, int64_t most);

/// The same of records that another run will make. No splits: all.
Forecast only(Forecast records, const std::vector<std::string>& splits, int64_t most);

/// Both, one behind the other.
Forecast joined(Forecast one, const Forecast& other);

nlohmann::json to_json(const Forecast& records);
Forecast from_json(const nlohmann::json& records);

}  // namespace compeer::worker
