#pragma once
#include <filesystem>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// A folder is a run if it holds spec.json, run.h5 or status.json.
bool is_run(const std::filesystem::path& folder);

/// The runs meant by these paths: a run itself; of any other folder the runs directly in it, by name, but for those
/// that
/// --fresh has set aside. Each run once.
/// Throws Error (exit 4) for a path that does not exist, and if there is no run at all.
std::vector<std::filesystem::path> find_runs(const std::vector<std::filesystem::path>& paths);

/// Everything that can be read of a run, finished or not. What is missing or broken is named in `problems`.
RunData load_run(const std::filesystem::path& folder);

}  // namespace compeer::report
