#pragma once
#include <nlohmann/json_fwd.hpp>

namespace compeer::worker {

/// What runs will take, at most, by arithmetic, before anything is computed or asked. `options`: {"input": a file with
/// a list of {"file": the spec's file, "records": the forecast of records that another run will make, or null,
/// "models": tables `model` by the folders that other runs will make}}. Prints {"forecasts": [...]} with, of each as
/// far as it can be told,
///
///   records     the compeer::Forecast of what a data run makes
///   requests    [{"model", "requests", "read", "written", "cost"}] of chat models that have a price
///   operations, streamed   train/metrics/work.h, of all ranks
///   on_device   whether a device can do it
///   memory      {"cpu", "device", "host"} of a rank, in MiB
///   disk        bytes of its checkpoints
///   unknown     [what can't be told]
int forecast(const nlohmann::json& options);

}  // namespace compeer::worker
