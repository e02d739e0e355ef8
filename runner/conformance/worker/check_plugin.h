#pragma once
#include <nlohmann/json.hpp>

namespace compeer::conformance {

/// The part of `compeer plugins check` that runs the plugin's code. It runs in a process of its own, the worker, and
/// writes its findings to a pipe. `options`:
///   {"kind", "name", "version", "path", "sha256": the plugin's library,
///    "settings": object with all values, or null if they are invalid or one is missing,
///    "missing", "unset": names of required and of optional settings without a value,
///    "edges": list of [name, value], the lowest and highest valid values of numeric settings,
///    "dataset": {"plugin", "path", "sha256", "settings"} of a dataset plugin that supplies examples, or null,
///    "patience": maximum duration of one call, in seconds, "report": file descriptor that the report is written to}
/// Limits memory, processor time and file sizes of this process. Ends the process if the plugin crashes, hangs or calls
/// exit(). Returns 0, the exit code, after all other results; failures are in the report.
int check_plugin(const nlohmann::json& options);

}  // namespace compeer::conformance
