#pragma once
#include <string>
#include <vector>

#include "compeer/host.h"
#include "compeer/stage.h"
#include "datasets/cer/records.h"
#include "judging/panel.h"
#include "judging/reading.h"

/// The settings of stages that ask a judge: part of the descriptor's "parameters".
#define COMPEER_JUDGES_SETTINGS                                                        \
  COMPEER_JUDGE_SETTINGS                                                               \
  "," COMPEER_READS_SETTINGS COMPEER_PANEL_SETTINGS "," COMPEER_OUTCOME_MODEL_SETTINGS \
  R"json("resamples": {"type": "integer", "default": 1000, "min": 0, "help": "of the bootstrap; 0: no intervals"})json"

namespace compeer::stages {

/// A record that is to be judged. Throws Error (exit 4) that names it.
cer::Record known(const nlohmann::json& record);

/// Judges who are asked about records.
class Judges {
 public:
  Judges(const Settings& settings, Host& host);

  /// One for each record. Throws Error (exit 4) if a reading is to be shown and a record has none.
  std::vector<judging::Opinion> opinions(const std::vector<cer::Record>& records) const;

  /// Counts the questions of an opinion for `data.most_malformed` (Stage counts "questions" and "malformed answers").
  /// Not those to chat models, which the host counts; nor by likelihood, which needs no answer.
  void count(const judging::Opinion& opinion, Outcome& outcome) const;

  /// One for each judge, and another if it would judge otherwise.
  const std::vector<std::string>& fingerprints() const { return fingerprints_; }

 private:
  judging::JudgedGroup group_of(const cer::Record& record) const;

  judging::Reads reads_;
  bool by_likelihood_;
  judging::Panel panel_;
  std::vector<std::string> fingerprints_;
};

}  // namespace compeer::stages
