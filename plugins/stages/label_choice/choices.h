#pragma once
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "compeer/stage.h"
#include "stages/reward_accuracy/accuracy.h"

namespace compeer::stages {

/// Which label of a step is found likeliest, against those that people gave: counted record by record, told as a
/// classifier's weighted F1 and accuracy. A round that people gave several labels is right with any of them.
///
/// Beside that stand `majority`, the commonest label whatever the round, and `calibrated`, the label whose likelihood
/// is furthest above its mean over all rounds: whoever has a favourite says nothing by it.
class LabelChoices {
 public:
  static constexpr std::array<const char*, 2> steps = {"emotion", "strategy"};

  /// People's labels of a step, out of a record's "people"; none if it has no such record.
  static std::vector<std::string> people(const nlohmann::json& record, const std::string& step);

  /// What of a record must be known before the first is counted: its labels.
  std::string glimpse(const nlohmann::json& record) const;
  void survey(const std::string& glimpse);

  /// All labels of a step that occur, in order.
  const std::vector<std::string>& labels(size_t step) const { return labels_[step]; }

  /// Takes the likeliest label of a step, in the labels' order: it stands in the record's "judged", all likelihoods in
  /// its "likelihoods".
  void choose(nlohmann::json& record, size_t step, std::span<const double> likelihoods, Outcome& outcome) const;

  nlohmann::json findings(const std::map<std::string, double>& counts, const statistics::Resampling& how) const;

 private:
  std::array<std::vector<std::string>, 2> labels_;
};

}  // namespace compeer::stages
