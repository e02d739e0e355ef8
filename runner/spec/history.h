#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spec/spec.h"

// Changes to a run after it began: more steps, a rebuilt plugin, changed input files, settings renamed by a newer
// version of the program. The run's spec.json (its settings, as stored in the run's folder) records them in the list
// "history", the earliest first. Each entry is an object:
//   "step"     number of training steps done before the change
//   "what"     the changed setting "grpo.steps" or "sft.steps", "plugin rewards/length", "contents of dataset.path", or
//              "names of settings"
//   "before", "after"            values of the setting, SHA-256 of the plugin's library, hashes of the input's
//   contents,
//                                or lists of paths of renamed settings; in the last case "step" is 0
//   "spec_before", "spec_after"  SHA-256 of all settings, which identifies the run; equal if a plugin changed

namespace compeer::spec {

/// Returns an entry of a history as a sentence for users: "after step 8 grpo.steps was changed from 8 to 16 (spec
/// 0123456789abcdef... before, fedcba9876543210... after)". Throws json::exception if `change` is not a valid entry.
std::string change_text(const json& change);

/// Compares two texts of a run's spec.json, an earlier and a later one, and returns the `change_text` of each history
/// entry that was appended in `after`. Throws json::exception if an entry is invalid.
std::vector<std::string> new_changes(const std::string& before, const std::string& after);

/// True if `sha256` is the hash of the settings of the run with the spec.json `file`, now or before one of the changes
/// in its history. A file of the run that records this hash belongs to the run.
bool is_spec_of_run(const json& file, const std::string& sha256);

/// Returns the spec (all settings) of a run that is resumed with more steps. `changes` may only raise the number of
/// steps of the run's task, "sft.steps" or "grpo.steps". `done`: number of steps of the checkpoint from which the run
/// continues, 0 if it starts over; if above 0, the history gets an entry. Throws Error (exit code 3: mistake in the
/// settings) for other changes, and if the result would not be bitwise identical to a run of that length from the
/// start: for a learning-rate schedule other than "constant", or a validation that was due only because its step was
/// the last.
Spec with_more_steps(Spec spec, const std::vector<Change>& changes, uint64_t done);

}  // namespace compeer::spec
