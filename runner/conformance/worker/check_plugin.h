#pragma once
#include <nlohmann/json.hpp>

namespace compeer::conformance {

/// The part of `compeer plugins check` that runs the plugin's code, in the worker. OPTIONS:
///   {"kind", "name", "version", "path", "sha256", "settings", "missing", "unset", "edges": see ConformanceRequest,
///    "dataset": a choice of conformance/plugin_choice.h, or null; "patience": seconds that one call may take,
///    "report": number of the open file that Reporter writes to}
/// Limits this process's memory, processor time and files, and watches for crashes.
int check_plugin(const nlohmann::json& options);

}  // namespace compeer::conformance
