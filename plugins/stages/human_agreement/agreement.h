#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "compeer/stage.h"
#include "statistics/bootstrap.h"

namespace compeer::stages {

/// People's ratings of a reply, and two measures of it. Higher is better. If the reply was compared with the reference,
/// negative values mean that the reference is better.
struct RatedReply {
  std::vector<double> ratings;
  /// The judge's measure.
  double judge = 0;
  double length_difference = 0;  ///< words of the reply, minus those of the reference if it was compared with it
};

/// Rated replies of one dialogue.
using RatedDialogue = std::vector<RatedReply>;

/// Agreement of a measure with people's mean ratings:
///
///   spearman   rank correlation
///   alpha      Krippendorff's alpha, ordinal. The measure is first mapped to people's scale by rank: the
///              sorted ratings are assigned in the order of the measure; equal measures share the mean of theirs
///   same_side  fraction of replies with a mean rating other than 0 whose measure has the same sign; a measure of 0
///              counts half. NaN if no rating is below 0
struct HumanAgreement {
  double spearman, alpha, same_side;
};
/// Returns the agreement of one measure over some replies.
HumanAgreement agreement(std::span<const RatedReply* const> replies, double RatedReply::*measure);

/// Leave-one-out agreement, averaged over which person is left out: `person` compares that person's ratings with the
/// mean of the others', `judge` compares the judge's measure with the same mean.
struct LeftOut {
  HumanAgreement person, judge;
};
/// Returns that agreement. Replies with fewer than two ratings are left out.
LeftOut one_left_out(std::span<const RatedReply* const> replies);

/// Returns people's ratings of a record's candidate: the numbers in the list `name` of its "people", otherwise, if the
/// reply is the supporter's own, in the label `name` of the seeker's next turn. Empty if there are none.
std::vector<double> ratings_of(const nlohmann::json& record, const std::string& name);

/// Adds a rated reply to the counts. `name` selects the ratings, `judge` is the judge's measure.
void count_rated(const nlohmann::json& record, const std::string& name, double judge, Outcome& outcome);
/// Returns the counted replies of each dialogue; dialogues without any are left out.
std::vector<RatedDialogue> rated_dialogues(const std::map<std::string, double>& counts);

/// Returns the findings, with intervals by bootstrap over dialogues: n; "judge"; "longer", the same for the length
/// alone; "one_left_out" with "person" and "judge_instead"; "larger_side", the `same_side` of a judge that always gives
/// the same answer.
nlohmann::json agreements(const std::vector<RatedDialogue>& dialogues, const statistics::Resampling& how);

}  // namespace compeer::stages
