#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "judging/judge.h"
#include "judging/reading.h"

namespace compeer::judging {

/// Returns the form in which a judge is asked: {"judge": {"view", "prompts", "prompts_sha256", "step_words",
/// "preference_words", "reads", "reads_replies"}}, without the words of questions that are not in `scope`. When the
/// dataset `cer` trains a judge, it is stored in checkpoints as form.json.
nlohmann::json form_of(const JudgeFormat& format, const Scope& scope, const Reads& reads);

/// Compares form.json in a model folder with `asked`, a result of form_of. Returns true if they agree, false if the
/// folder has no form of a judge: an older judge, another model or a policy. Throws Error (exit 3) that lists all
/// differences, including an adapter's base with other weights than in training; Error (exit 4) if form.json can't be
/// read.
bool check_form(const std::string& folder, const nlohmann::json& asked);

/// Returns a SHA-256 over all *.safetensors files in a model folder. Throws Error (exit 4) if there are none.
std::string weights_of(const std::string& folder);

/// Guards against reward hacking: a policy exploits the mistakes its judge does not detect. Reads the results of the
/// stage reward_accuracy from the run folder `accuracy`. Throws Error (exit 3) if the judge's recall of wrong steps is
/// below `floor` for some step, Error (exit 4) if the run did not measure a judge with this fingerprint
/// (JudgePanel::fingerprints).
void require_recall(const std::string& accuracy, const std::string& judge, const std::string& fingerprint,
                    double floor);

}  // namespace compeer::judging
