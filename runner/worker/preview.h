#pragma once
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

namespace compeer::worker {

/// For `compeer run --dry-run`: estimates the sizes of planned runs, without loading weights or sending requests. A run
/// consists of several processes, the ranks; spec.json is the file with its settings. `options`: {"input": file with a
/// list of {"file": contents of a spec.json, "folder": the run's folder}}, in the order of the runs; a run may read
/// models and records of earlier ones. Returns 0. Prints {"previews": [...]}, for each run
///
///   records   {split: number of records that the run reads}
///   memory    {"cpu", "device", "host"}: MiB per rank on a CPU, or on a device and its host; missing if unknown
///   device    true if the run may use a device
///   unknown   [values that can't be determined yet, with the reasons]
int preview(const nlohmann::json& options);

/// For `compeer submit`: estimates the memory that a batch script must request. `options`: {"input": a spec.json file}.
/// Opens the run's plugins and loads its model. Prints {"mib": MiB per rank}. Returns 0.
int estimate_memory(const nlohmann::json& options);

}  // namespace compeer::worker
