#pragma once
#include <string>
#include <vector>

#include "compeer/host.h"
#include "compeer/stage.h"
#include "datasets/cer/records.h"
#include "judging/panel.h"
#include "judging/reading.h"

/// Settings of stages that ask a judge, for the "parameters" of descriptors.
#define COMPEER_JUDGES_SETTINGS                                                        \
  COMPEER_JUDGE_SETTINGS                                                               \
  "," COMPEER_READS_SETTINGS COMPEER_PANEL_SETTINGS "," COMPEER_OUTCOME_MODEL_SETTINGS \
  R"json("resamples": {"type": "integer", "default": 1000, "min": 0,)json"             \
  R"json("help": "bootstrap resamples for the intervals; 0: no intervals"})json"

namespace compeer::stages {

/// Parses a record to be judged. Throws Error (exit 4) that names the record if it is malformed.
cer::Record parse_judged_record(const nlohmann::json& record);

/// One judge, or one of steps and one of replies, for a stage that judges records.
class Judges {
 public:
  /// Opens the judges; throws as judging::JudgePanel does.
  Judges(const Settings& settings, Host& host);

  /// Returns one opinion for each record. Throws Error (exit 4) if a reading is to be shown and a record has none.
  std::vector<judging::Verdicts> opinions(const std::vector<cer::Record>& records) const;

  /// Adds the questions of an opinion to the stage's counts "questions" and "malformed answers", for
  /// `data.max_malformed`. Does nothing for chat models, which the host counts, and by likelihood, which parses no
  /// answers.
  void count(const judging::Verdicts& opinion, Outcome& outcome) const;

  /// Returns for each judge a text that changes when its weights or questions change.
  const std::vector<std::string>& fingerprints() const { return fingerprints_; }

 private:
  judging::JudgedGroup group_of(const cer::Record& record) const;

  judging::Reads reads_;
  bool by_likelihood_;
  judging::JudgePanel panel_;
  std::vector<std::string> fingerprints_;
};

}  // namespace compeer::stages
