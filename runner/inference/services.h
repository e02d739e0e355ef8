#pragma once
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "plugin/host.h"

namespace compeer::inference {

/// The plugin that the spec pinned under that name; one that another plugin asks for by a name of its own choice is
/// looked for now. `plugins`: the list in spec.json.
plugin::Chosen chosen(const nlohmann::json& plugins, const std::string& kind, const std::string& name);

/// What the plugins of any task share: seed, log, stop, other plugins. `spec_file` and `stop` must outlive it. What all
/// ranks would say alike is logged by rank 0 alone: what is said while plugins are opened, and lines that begin with
/// "note: ", which are about the run.
plugin::Services services_of(const nlohmann::json& spec_file, const comm::StopFlag& stop, int rank = 0);

}  // namespace compeer::inference
