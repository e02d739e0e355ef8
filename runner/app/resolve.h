#pragma once
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::app {

/// What a file says, with the changes of `--set key=value`: a TOML file, a resolved spec (spec.json) or the folder of
/// a run. Scripts make their drafts themselves.
spec::Draft load_draft(const std::string& file, const std::vector<std::string>& sets);

}  // namespace compeer::app
