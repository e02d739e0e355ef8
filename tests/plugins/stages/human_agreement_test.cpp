#include "stages/human_agreement/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "judged.h"

namespace compeer {
namespace {

using nlohmann::json;
using stages::RatedDialogue;
using stages::RatedReply;

class JudgedByPeople : public judged::Test {};

std::vector<const RatedReply*> pointers(const std::vector<RatedReply>& replies) {
  std::vector<const RatedReply*> all;
  for (const auto& one : replies) all.push_back(&one);
  return all;
}

TEST(HumanAgreement, OfAJudgeWhoRanksAsPeopleDo) {
  const std::vector<RatedReply> replies = {{{-4, -2}, -0.9}, {{-1}, -0.1}, {{0}, 0.2}, {{2, 3}, 0.8}};
  const auto found = stages::agreement(pointers(replies), &RatedReply::judge);
  EXPECT_DOUBLE_EQ(found.spearman, 1);
  EXPECT_DOUBLE_EQ(found.alpha, 1) << "its numbers are put on people's scale";
  EXPECT_DOUBLE_EQ(found.same_side, 1) << "what people find equal has no side";
}

TEST(HumanAgreement, CountsSidesAndHalvesWhatHasNone) {
  const std::vector<RatedReply> replies = {{{-4}, 0.5}, {{-4}, -0.5}, {{4}, 0.0}, {{1, -1}, 1.0}};
  EXPECT_DOUBLE_EQ(stages::agreement(pointers(replies), &RatedReply::judge).same_side, 1.5 / 3);
  const std::vector<RatedReply> grades = {{{4}, 0.5}, {{5}, -0.5}};
  EXPECT_TRUE(std::isnan(stages::agreement(pointers(grades), &RatedReply::judge).same_side)) << "grades have no sides";
}

// Three replies, rated 1, 2, 3 and measured in reverse order: 3, 2, 1. Ordinal distances of neighbours are (2/2 +
// 2/2)^2 = 4, of 1 and 3 (1 + 2 + 1)^2 = 16. Observed: 2 x 2 x 16 / 6; expected: all pairs with two of each, (2 x 4 x
// (4 + 4 + 16)) / (6 x 5). Alpha = 1 - (64 / 6) / (192 / 30) = -2/3.
TEST(HumanAgreement, HasTheAlphaThatAHandComputes) {
  const std::vector<RatedReply> replies = {{{1}, 30}, {{2}, 20}, {{3}, 10}};
  const auto found = stages::agreement(pointers(replies), &RatedReply::judge);
  EXPECT_DOUBLE_EQ(found.spearman, -1);
  EXPECT_NEAR(found.alpha, -2.0 / 3, 1e-12);
}

TEST(HumanAgreement, TellsWhatLengthAloneAndOneSideWouldReach) {
  const std::vector<RatedDialogue> dialogues = {{{{-4, -3}, 0.1, -5}}, {{{-2, 0}, 0.1, -2}}, {{{4, 4}, 0.1, 7}}};
  const json found = stages::agreements(dialogues, {0, 1, 0.95});
  EXPECT_EQ(found.at("n"), 3);
  EXPECT_DOUBLE_EQ(found.at("longer").at("same_side").at("value"), 1);
  EXPECT_DOUBLE_EQ(found.at("judge").at("same_side").at("value"), 1.0 / 3);
  EXPECT_TRUE(found.at("judge").at("spearman").at("value").is_null()) << "it says the same of all";
  EXPECT_DOUBLE_EQ(found.at("larger_side").at("value"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.at("one_left_out").at("person").at("same_side").at("value"), (1 + 2.5 / 3) / 2)
      << "(-2, 0): against 0 no side is wrong, against -2 none is half right";
}

// The means of the others are -1, 2, 3 without the first rater, -2, 3, 3 without the second, -2, 2, 3 without the
// third. Each time either the left-out rater or the others have two equal replies: Spearman sqrt(3)/2. The judge
// prefers the second reply to the third: Spearman 1/2 without the first and the last rater, sqrt(3)/2 where the others
// are equal.
TEST(HumanAgreement, LeavesOutOnePersonAfterAnother) {
  const std::vector<RatedReply> replies = {{{-3, -1, -1}, -0.5}, {{3, 1, 3}, 0.8}, {{3, 3, 3}, 0.2}, {{-4}, 1}};
  const auto [person, judge] = stages::one_left_out(pointers(replies));
  EXPECT_NEAR(person.spearman, std::sqrt(0.75), 1e-12);
  EXPECT_DOUBLE_EQ(person.same_side, 1);
  EXPECT_NEAR(judge.spearman, (0.5 + std::sqrt(0.75) + 0.5) / 3, 1e-12);
  EXPECT_DOUBLE_EQ(judge.same_side, 1) << "what one alone rated stands aside";
}

// Each reply gets the mean of the raters' ratings, 0. In pairs with -1 and 1 an ordinal distance is 1.5, between those
// 3, squared 2.25 and 9; of four values two are 0, so alpha is 1 - 2.25 / 3.
TEST(HumanAgreement, PutsEqualMeasuresOnOneRating) {
  const std::vector<RatedReply> up = {{{-1}, 0.5}, {{1}, 0.5}}, down = {{{1}, 0.5}, {{-1}, 0.5}};
  EXPECT_DOUBLE_EQ(stages::agreement(pointers(up), &RatedReply::judge).alpha, 0.25);
  EXPECT_DOUBLE_EQ(stages::agreement(pointers(down), &RatedReply::judge).alpha, 0.25) << "in whatever order they stand";
}

// The judge prefers "why?", whichever reply comes first. There are no steps, so no other question is asked.
TEST_F(JudgedByPeople, AreAskedAboutInBothOrders) {
  std::vector<std::string> asked;
  one = judging::Scripted([&](const std::string&, const std::string& question, uint32_t) {
    asked.push_back(question);
    return question.starts_with("why?") ? "first" : "second";
  });
  const auto stage_of = [](const std::string& rating) { return json{{"rating", rating}, {"resamples", 0}}; };
  auto pair = judged::record("a", {}, "first");
  for (const char* step : {"history", "emotion", "strategy"}) pair["candidates"][0][step] = "";
  for (const char* label : {"steps", "preference"}) pair.erase(label);
  pair["people"]["ratings"] = {-4, -1};
  auto unrated = pair;
  unrated.erase("people");
  auto stage = open("human_agreement", stage_of("ratings"));
  const auto outcomes = plugin::make(stage, {pair, unrated});
  EXPECT_EQ(outcomes[0].records.at(0).at("judged"), 1);
  EXPECT_EQ(outcomes[1].dropped, "no rating 'ratings'");
  EXPECT_EQ(asked, (std::vector<std::string>{"tell me more\nwhy?", "why?\ntell me more"}));
  const auto found = built::findings(stage, outcomes);
  EXPECT_EQ(found.at("judge").at("same_side").at("value"), 0) << "people found the reference better";
  EXPECT_EQ(found.at("longer").at("same_side").at("value"), 1);
}

TEST_F(JudgedByPeople, LeaveOutWhatCantBeRead) {
  one = judging::Scripted([](const auto&, const auto&, uint32_t) { return "perhaps"; });
  auto pair = judged::record("a", {true, true, true}, "first");
  pair["people"]["ratings"] = {-4, -1};
  auto stage = open("human_agreement", {{"resamples", 0}});
  const auto outcomes = plugin::make(stage, {pair});
  EXPECT_EQ(outcomes[0].dropped, "unreadable judgement");
  EXPECT_EQ(built::findings(stage, outcomes).at("n"), 0);
}

TEST_F(JudgedByPeople, MayHaveBeenRatedByTheSeekerInTheNextTurn) {
  auto reply = judged::record("a", {true, true, true}, "second");
  reply["people"] = json::object();
  reply["seeker"]["after"]["feedback"] = {nullptr, 4};
  auto stage = open("human_agreement", {{"rating", "feedback"}, {"resamples", 0}});
  auto borrowed = reply;
  borrowed["preference"] = "first";
  const auto outcomes = plugin::make(stage, {reply, borrowed});
  EXPECT_EQ(outcomes[1].dropped, "no rating 'feedback'") << "nobody rated another dialogue's reply";
  EXPECT_EQ(built::findings(stage, outcomes).at("n"), 1);
}

// The raters of single replies saw no other reply, so the length is absolute, not relative to a borrowed reply.
TEST_F(JudgedByPeople, WhoRatedAReplyAloneSawNoOther) {
  std::vector<json> replies;
  for (const auto& [said, borrowed, feedback] :
       std::vector<std::tuple<std::string, std::string, int>>{{"why?", "oh", 2},
                                                              {"and why is that?", "one two three four five six", 3},
                                                              {"what else do you think?", "oh", 5}}) {
    auto one = judged::record(said, {true, true, true}, "second");
    one["people"] = json::object();
    one["seeker"]["after"]["feedback"] = {feedback};
    one["candidates"][0]["reply"] = said, one["reference"] = borrowed;
    replies.push_back(one);
  }
  auto stage = open("human_agreement", {{"rating", "feedback"}, {"resamples", 0}});
  const auto found = built::findings(stage, plugin::make(stage, replies));
  EXPECT_DOUBLE_EQ(found.at("longer").at("spearman").at("value"), 1);
}

}  // namespace
}  // namespace compeer
