#pragma once
#include <string>
#include <vector>

#include "compeer/host.h"
#include "compeer/stage.h"
#include "datasets/cer/records.h"
#include "judging/panel.h"
#include "judging/reading.h"

// Judges in stages of a data run that measure them. A judge is a language model that decides whether the three
// reasoning steps of a completion are right, and whether its reply is as good as a reference reply; its decisions are
// called verdicts.

/// JSON text with the settings of stages that ask a judge, for the "parameters" of plugin descriptors.
#define COMPEER_JUDGES_SETTINGS                                                        \
  COMPEER_JUDGE_SETTINGS                                                               \
  "," COMPEER_READS_SETTINGS COMPEER_PANEL_SETTINGS "," COMPEER_OUTCOME_MODEL_SETTINGS \
  R"json("resamples": {"type": "integer", "default": 1000, "min": 0,)json"             \
  R"json("help": "bootstrap resamples for the intervals; 0: no intervals"})json"

namespace compeer::stages {

/// Parses a record with a completion to be judged (its first candidate). Throws Error (exit code 4: invalid data) that
/// names the record if it is malformed.
cer::Record parse_judged_record(const nlohmann::json& record);

/// The judges of a stage: one judge of steps and replies, or one judge of steps and another of replies.
class Judges {
 public:
  /// Opens the judges. Throws std::runtime_error if the settings contradict each other, Error (exit code 3: wrong
  /// settings) if a judge was trained with other questions.
  Judges(const Settings& settings, Host& host);

  /// Asks the judges and returns the verdicts on each record. Throws Error (exit code 4) if the settings require a
  /// reading (another model's steps, shown for comparison) and a record has none.
  std::vector<judging::Verdicts> opinions(const std::vector<cer::Record>& records) const;

  /// Adds the numbers of a record's answers and of those that could not be parsed to the stage's counts "questions" and
  /// "malformed answers", which the run limits by `data.max_malformed`. `opinion`: the verdicts on the record. Does
  /// nothing for chat models, whose answers the host counts, and if verdicts are probabilities, which need no parsing.
  void count(const judging::Verdicts& opinion, Outcome& outcome) const;

  /// Returns for each judge a text that changes when its weights or questions change.
  const std::vector<std::string>& fingerprints() const { return fingerprints_; }

 private:
  // Returns the record as a group of one completion.
  judging::JudgedGroup group_of(const cer::Record& record) const;

  judging::Reads reads_;  // the parts of a record's reading that the judges are shown
  bool by_likelihood_;    // whether verdicts are differences of probabilities, not 1 and -1
  judging::JudgePanel panel_;
  std::vector<std::string> fingerprints_;  // one for each judge
};

}  // namespace compeer::stages
