#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "record/run_file.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Adds why the run ended before its last step, if it did: "ended after step 12 of 20: no better validation/loss since
/// step 6".
void remark_end(const std::vector<record::Event>& events, RunData& run);

/// Adds which records the run could not use, or not as they are, from the details of its summary.json: "split 'train':
/// of 96 records 3 are too long and trimmed".
void remark_records(const nlohmann::json& details, RunData& run);

}  // namespace compeer::report
