#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "compeer/stage.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

/// What people said of a reply, one number each, and what was measured of it. A higher number is better; where replies
/// are compared, a negative one says that the reference is better.
struct RatedReply {
  std::vector<double> ratings;
  double judge = 0;
  double longer = 0;  ///< in words; than the reference, where that was beside it
};

/// Replies of one dialogue.
using RatedDialogue = std::vector<RatedReply>;

/// How a measure goes with people's mean rating:
///
///   spearman   of the two
///   alpha      Krippendorff's, ordinal; the measure is put on people's scale by its rank, so that it gives each rating
///              as often as they do; equal measures share theirs
///   same_side  of replies with a rating above or below 0 the share with a measure on the same side; one of 0 counts
///              half. NaN if nobody's rating is below 0
struct HumanAgreement {
  double spearman, alpha, same_side;
};
HumanAgreement agreement(std::span<const RatedReply* const> replies, double RatedReply::*measure);

/// How well the others agree with one of several people, or with the judge, when one person after another is left out:
/// a mean over who that is. `person`, the one left out, and `judge` meet the same mean of the others.
struct LeftOut {
  HumanAgreement person, judge;
};
LeftOut one_left_out(std::span<const RatedReply* const> replies);

/// What people said of a record's candidate: the numbers of a list of this name in its "people", else of the label of
/// the seeker's next turn, if the reply is the supporter's own. Empty if there are none.
std::vector<double> ratings_of(const nlohmann::json& record, const std::string& name);

/// Counts a reply and what was measured of it, and gives back what was counted, dialogue by dialogue.
void count_rated(const nlohmann::json& record, const std::string& name, double judge, Outcome& outcome);
std::vector<RatedDialogue> rated_dialogues(const std::map<std::string, double>& counts);

/// The findings: "judge"; "longer", which knows nothing but the length; "one_left_out", "person" and "judge_instead"
/// against the other people; "larger_side", which a judge reaches that always says the same. Intervals are over
/// dialogues.
nlohmann::json agreements(const std::vector<RatedDialogue>& dialogues, const statistics::Resampling& how);

}  // namespace compeer::stages
