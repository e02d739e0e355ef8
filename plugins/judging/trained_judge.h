#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "judging/judge.h"
#include "judging/reading.h"

namespace compeer::judging {

// Checks of a judge's model folder before the judge is used by a reward or a stage. A judge is a language model trained
// to decide whether reasoning steps are right and replies are good. Its "form" is the wording of the questions, the
// possible answers and what it is shown in addition; it must be the same in training and in use.

/// Returns the form as JSON: {"judge": {"view", "prompts", "prompts_sha256", "step_words", "preference_words", "reads",
/// "reads_replies"}}. `scope` selects the questions: those not asked add no words, and "reads_replies" is present only
/// if replies are judged. Checkpoints of a judge contain this object as form.json.
nlohmann::json form_of(const JudgeFormat& format, const Scope& scope, const Reads& reads);

/// Compares form.json in the model folder `folder` with `asked`, the form in use (a result of form_of). Returns true if
/// they agree, false if the folder contains no form of a judge, like the folder of an untrained model or a policy.
/// Throws Error (exit code 3: wrong settings) that lists all differences; a LoRA adapter over a base model with other
/// weights than in training is one, too. Throws Error (exit code 4: invalid data) if form.json can't be read.
bool check_form(const std::string& folder, const nlohmann::json& asked);

/// Returns a SHA-256 over the names and contents of all *.safetensors files in a model folder. Throws Error (exit code
/// 4) if there are none.
std::string weights_of(const std::string& folder);

/// Guards against reward hacking, since a policy exploits errors that its judge does not detect. `accuracy`: folder of
/// a run with the stage reward_accuracy, which compared the judge with annotators. `judge`: the judge's name, for
/// messages. `fingerprint`: identifies the measured weights (an element of JudgePanel::fingerprints). Throws Error
/// (exit code 3) if the judge found less than the share `floor`, in [0, 1], of the wrong steps of some kind, Error
/// (exit code 4) if the run did not measure a judge with this fingerprint.
void require_recall(const std::string& accuracy, const std::string& judge, const std::string& fingerprint,
                    double floor);

}  // namespace compeer::judging
