#pragma once
#include <nlohmann/json_fwd.hpp>

namespace compeer::worker {

/// What runs that haven't begun will take, at most, by arithmetic: nothing is computed and nobody asked. `options`:
/// {"input": a file with a list of {"file": the spec's file, "folder": the run's}}; a run may read what those before it
/// will make. Prints {"forecasts": [...]}, for each {"as": the name of one before it}, or as far as it can be told
///
///   records     the compeer::Forecast of what a data run makes
///   requests    [{"model", "requests", "read", "written", "cost"}] of chat models that have a price
///   operations, streamed   train/metrics/work.h, of all ranks
///   on_device   whether a device can do it
///   memory      {"cpu", "device", "host"} of a rank, in MiB
///   disk, writing   bytes of the checkpoints that it keeps, and of another while it is written
///   unknown     [what can't be told]
int forecast(const nlohmann::json& options);

}  // namespace compeer::worker
