#pragma once
#include <nlohmann/json.hpp>

namespace compeer::contract {

/// `compeer plugins check` in the worker: everything that runs the plugin's code. OPTIONS:
///   {"kind", "name", "version", "path", "sha256", "settings", "missing", "unset", "edges": see examinee.h,
///    "dataset": what contract/plugin_choice.h chose, or null, "patience": seconds of a call,
///    "report": the open file that contract/worker/reporter.h writes to}
/// This process has limits of its own, and nothing that the plugin does to it harms anybody.
int check_plugin(const nlohmann::json& options);

}  // namespace compeer::contract
