#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "judging/judge.h"
#include "judging/reading.h"

namespace compeer::judging {

/// The form in which a judge is asked, as a JSON object: {"judge": {"view", "prompts", "prompts_sha256", "step_words",
/// "preference_words", "reads", "reads_replies"}}. Settings of questions that `scope` excludes are absent. The dataset
/// `cer` hands it to training, which stores it as form.json with a judge's checkpoints.
nlohmann::json form_of(const JudgeFormat& format, const Scope& scope, const Reads& reads);

/// Throws Error (exit 3) that names all differences if the judge in `folder` was trained in another form than `asked`,
/// which is a `form_of`, or is an adapter over other weights than its base; (exit 4) if its form.json can't be read.
/// Returns false if the folder holds no judge's form: a judge that was trained before forms were stored, a model of
/// other origin, or a policy.
bool check_form(const std::string& folder, const nlohmann::json& asked);

/// SHA-256 of all weights in a model's folder: another judge, another text. Throws Error (exit 4) if there are none.
std::string weights_of(const std::string& folder);

/// A policy drifts wherever its judge can't see a mistake. Throws Error unless the run in the folder `accuracy`
/// measured this judge (stage reward_accuracy; Panel::fingerprints) and found that of the wrong steps, of each kind, it
/// calls at least the share `floor` wrong: exit 3 if it finds too few, exit 4 if that was not measured.
void hold_to_floor(const std::string& accuracy, const std::string& judge, const std::string& fingerprint, double floor);

}  // namespace compeer::judging
