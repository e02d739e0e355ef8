#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "compeer/stage.h"
#include "statistics/bootstrap.h"

// Agreement of a judge (a language model that rates replies) with people's ratings, for the stage human_agreement of a
// data run. People rated a reply by itself or compared with a reference reply. A "measure" is a number that a judge, or
// a baseline such as the length, gives to a reply.

namespace compeer::stages {

/// People's ratings of a reply, and two measures of it. Higher is better. If the reply was compared with the reference,
/// negative values mean that the reference is better.
struct RatedReply {
  std::vector<double> ratings;   ///< one for each person
  double judge = 0;              ///< the judge's measure
  double length_difference = 0;  ///< words of the reply, minus those of the reference if it was compared with it
};

/// The rated replies of one dialogue.
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
/// Returns the agreement over some replies, with each reply weighted equally. `measure`: the member of RatedReply that
/// is compared with the ratings. All values are NaN without replies.
HumanAgreement agreement(std::span<const RatedReply* const> replies, double RatedReply::*measure);

/// Leave-one-out agreement: each person in turn is left out, and the results are averaged.
struct LeftOut {
  HumanAgreement person;  ///< agreement of the left-out person's ratings with the mean ratings of the others
  HumanAgreement judge;   ///< agreement of the judge's measure with the same mean ratings
};
/// Returns the leave-one-out agreement. Ignores replies with fewer than two ratings. A person is an index in
/// `RatedReply::ratings`.
LeftOut one_left_out(std::span<const RatedReply* const> replies);

/// Returns people's ratings of the reply of a record's candidate: the numbers in the list `name` of its field "people".
/// If there are none and the reply is the supporter's own, returns the label `name` of the seeker's next turn. Empty if
/// there are no ratings.
std::vector<double> ratings_of(const nlohmann::json& record, const std::string& name);

/// Adds the reply of a record's candidate to the counts of its outcome. `name`: the ratings to use, as for
/// `ratings_of`; `judge`: the judge's measure.
void count_rated(const nlohmann::json& record, const std::string& name, double judge, Outcome& outcome);
/// Returns the counted replies, grouped by dialogue. `counts`: the sums over all records.
std::vector<RatedDialogue> rated_dialogues(const std::map<std::string, double>& counts);

/// Returns the findings of the stage. `how`: parameters of the bootstrap over dialogues. Each agreement is an object
/// with the figures spearman, alpha and same_side, each {value, low, high}:
///
///   n             number of replies
///   judge         agreement of the judge
///   longer        agreement of the length difference
///   one_left_out  leave-one-out agreement: "person" and, for the judge, "judge_instead"
///   larger_side   a figure: the same_side of a judge that always gives the same answer
nlohmann::json agreements(const std::vector<RatedDialogue>& dialogues, const statistics::Resampling& how);

}  // namespace compeer::stages
