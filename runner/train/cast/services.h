#pragma once
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "plugin/host.h"

namespace compeer::train {

/// The plugin that the spec pinned under that name; one that another plugin asks for by a name of its own choice is
/// looked for now. `plugins`: the list in spec.json.
plugin::Chosen chosen(const nlohmann::json& plugins, const std::string& kind, const std::string& name);

/// What the plugins of any task share: seed, log, stop, other plugins. `spec_file` and `stop` must outlive it.
plugin::Services services_of(const nlohmann::json& spec_file, const comm::StopFlag& stop);

}  // namespace compeer::train
