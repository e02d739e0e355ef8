#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spec/spec.h"

/// Changes to a run after it began. They are the list "history" of its spec.json, the earliest first; each is an
/// object:
///   "step"     number of steps done before the change
///   "what"     "grpo.steps", "plugin rewards/length", or "contents of dataset.path"
///   "before", "after"            values of the setting, SHA-256 of the plugin's library, or pins (spec/paths.h)
///   "spec_before", "spec_after"  SHA-256 of the spec
namespace compeer::spec {

/// A change as a sentence: "after step 8 grpo.steps was changed from 8 to 16 (spec 0123456789abcdef... before,
/// fedcba9876543210... after)". Throws json::exception if `change` is no such object.
std::string change_text(const json& change);

/// The texts of the changes in one spec.json that are not yet in an earlier one. Both arguments are texts of files.
std::vector<std::string> new_changes(const std::string& before, const std::string& after);

/// True if `sha256` is the hash of the spec in `file`, the content of a spec.json, or of an earlier spec of its run.
bool is_spec_of_run(const json& file, const std::string& sha256);

/// The spec of a run that is given more steps, with an entry in its history. `changes`: the only settings are sft.steps
/// and grpo.steps; the number it has changes nothing. `done`: steps of the checkpoint that the run goes on from, 0 if
/// it starts over. Throws Error (exit 3) for other changes, and where the result would not have the bits of a run of
/// that length from the start: a learning-rate schedule over all steps, a validation that was due only because its step
/// was the last.
Spec extended(Spec spec, const std::vector<Change>& changes, uint64_t done);

}  // namespace compeer::spec
