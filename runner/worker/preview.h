#pragma once
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

namespace compeer::worker {

/// For dry runs: sizes of runs that have not begun. No weights are read and no model is asked. `options`:
/// {"input": a file with a list of {"file": the text of a spec.json as JSON, "folder": the run's}}, in their order; a
/// run may read models and records of those before it. Prints {"previews": [...]}, for each run
///
///   records   {split: the number of records that the run reads}
///   memory    {"cpu", "device", "host"}: MiB of a rank on a CPU, or on a device and its host; absent if not known
///   device    true if the run may use a device
///   unknown   [what can't be known yet, and why]
int preview(const nlohmann::json& options);

/// What a batch script asks of memory, in the worker. OPTIONS: {"input": a file as spec.json}. Prints {"mib": MiB that
/// a rank of the run is estimated to take}, with the run's plugins opened in this process.
int estimate_memory(const nlohmann::json& options);

}  // namespace compeer::worker
