#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spec/spec.h"

/// Changes to a run after it began. They are the list "history" of its spec.json, the earliest first; each is an
/// object:
///   "step"     number of steps done before the change
///   "what"     "grpo.steps", "sft.steps", "plugin rewards/length", "contents of dataset.path", or "names of settings"
///   "before", "after"            values of the setting, SHA-256 of the plugin's library, pins (spec/paths.h), or lists
///                                of paths of settings that a newer version renamed; "step" is then 0
///   "spec_before", "spec_after"  SHA-256 of the spec; equal if a plugin changed
namespace compeer::spec {

/// A change as a sentence: "after step 8 grpo.steps was changed from 8 to 16 (spec 0123456789abcdef... before,
/// fedcba9876543210... after)". Throws json::exception if `change` is no such object.
std::string change_text(const json& change);

/// The change_text() of each entry of the history in `after` beyond the number of entries in that of `before`. Both are
/// texts of spec.json. Throws json::exception if one is not.
std::vector<std::string> new_changes(const std::string& before, const std::string& after);

/// True if `sha256` is the hash that `file`, the contents of a spec.json, records for its spec, or a "spec_before" in
/// its history.
bool is_spec_of_run(const json& file, const std::string& sha256);

/// The spec of a run that is given more steps. `changes` may only raise the steps of the run's task, "sft.steps" or
/// "grpo.steps". `done`: steps of the checkpoint that the run continues from, 0 if it starts over; if above 0, the
/// history gets an entry. Throws Error (exit 3) for other changes, and where the result would not have the bits of a
/// run of that length from the start: a learning-rate schedule other than "constant", or a validation that was due only
/// because its step was the last.
Spec with_more_steps(Spec spec, const std::vector<Change>& changes, uint64_t done);

}  // namespace compeer::spec
