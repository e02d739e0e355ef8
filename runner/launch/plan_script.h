#pragma once
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::launch {

/// The specs a script would launch, in order, as far as it gets without results of runs. No run is started and nothing
/// written, but plugins are opened (launch/opening.h); what the script prints goes to standard error.
std::vector<spec::Spec> plan_script(const std::string& file, const std::vector<std::string>& sets);

}  // namespace compeer::launch
