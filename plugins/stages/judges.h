#pragma once
#include <string>
#include <vector>

#include "compeer/host.h"
#include "datasets/cer/records.h"
#include "judging/panel.h"
#include "judging/reading.h"

/// The settings of stages that ask a judge: part of the descriptor's "parameters".
#define COMPEER_JUDGES_SETTINGS                                                                                       \
  COMPEER_JUDGE_SETTINGS                                                                                              \
  "," COMPEER_READS_SETTINGS R"json("model": {"type": "path", "help": "the judge's folder; with outcome_model, )json" \
  R"json(of the judge of steps"},)json" COMPEER_OUTCOME_MODEL_SETTINGS                                                \
  R"json("swap": {"type": "boolean", "default": false,)json"                                                          \
  R"json("help": "show the completion first, the reference second"},)json"                                            \
  R"json("by": {"type": "string", "default": "answer", "choices": ["answer", "likelihood"],)json"                     \
  R"json("help": "likelihood: a reply is good if the words for that are likelier together (not in the paper)"},)json" \
  R"json("resamples": {"type": "integer", "default": 1000, "min": 0, "help": "of the bootstrap; 0: no intervals"})json"

namespace compeer::stages {

/// A record that is to be judged. Throws Error (exit 4) that names it.
cer::Record known(const nlohmann::json& record);

/// Judges who are asked about records.
class Judges {
 public:
  Judges(const Settings& settings, Host& host);

  /// Throws Error (exit 4) if a reading is to be shown and the record has none.
  judging::Opinion opinion(const cer::Record& record) const;

  /// One for each model, and another for other weights.
  const std::vector<std::string>& weights() const { return weights_; }

 private:
  judging::Panel panel_;
  std::vector<std::string> weights_;
  judging::Reads reads_;
};

}  // namespace compeer::stages
