#pragma once
#include <nlohmann/json.hpp>

namespace compeer::worker {

/// What a run's plugins are tried with before anything is spent (launch/opening.h). OPTIONS: {"input": a file with
/// a list of {"file": as spec.json, "missing": paths of values that name files which aren't there yet}}. Makes every
/// plugin as a run does and asks it what it is asked before the first step: rewards and reweightings for their columns,
/// stages for what they depend on. No language model is read: a model's library is loaded and its tokenizer is checked,
/// judges get a speaker that can't speak. Of plugins whose files are missing the library is loaded. Prints {"opening":
/// "rewards/length", "run": name} before each, and at last {"columns": [names of a run's figures, as far as they are
/// known beforehand], ...}, a list for each spec.
int open_plugins(const nlohmann::json& options);

}  // namespace compeer::worker
