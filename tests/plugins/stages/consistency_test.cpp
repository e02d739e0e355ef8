#include "stages/consistency/contradiction.h"

#include <gtest/gtest.h>

#include "judged.h"

namespace compeer::stages {
namespace {

using nlohmann::json;

constexpr statistics::Resampling few{200, 1, 0.95};
constexpr Sides both_right{true, true}, both_wrong{false, false}, right_but_worse{true, false},
    wrong_but_good{false, true};

TEST(Contradiction, IsToSetApartWhatIsNotApart) {
  EXPECT_TRUE((Judgement{right_but_worse, both_right, {}}).contradictory());
  EXPECT_TRUE((Judgement{right_but_worse, both_wrong, {}}).contradictory());
  EXPECT_TRUE((Judgement{wrong_but_good, both_right, {}}).contradictory());
  EXPECT_FALSE((Judgement{right_but_worse, right_but_worse, {}}).contradictory()) << "it is so";
  EXPECT_FALSE((Judgement{right_but_worse, wrong_but_good, {}}).contradictory()) << "wrong twice, but they are apart";
}

TEST(Contradiction, IsNotToBeWrongOnBothSides) {
  EXPECT_FALSE((Judgement{both_right, both_wrong, {}}).contradictory());
  EXPECT_FALSE((Judgement{both_right, right_but_worse, {}}).contradictory());
  EXPECT_TRUE((Judgement{both_right, right_but_worse, {}}).overlooked());
  EXPECT_FALSE((Judgement{both_right, both_wrong, {}}).overlooked());
}

TEST(Contradiction, IsWhatTheChatModelFoundIfOneWasAsked) {
  EXPECT_TRUE((Judgement{both_right, {}, true}).contradictory());
  EXPECT_FALSE((Judgement{right_but_worse, both_right, false}).contradictory());
}

json record(const std::string& dialogue) { return {{"id", dialogue + "/1"}, {"dialogue", dialogue}}; }

std::map<std::string, double> counted(const std::vector<std::pair<std::string, Judgement>>& all) {
  std::map<std::string, double> counts;
  for (const auto& [dialogue, judgement] : all) {
    Outcome outcome;
    count(record(dialogue), judgement, outcome);
    for (const auto& [name, value] : outcome.counts) counts[name] += value;
  }
  return counts;
}

double value(const json& findings, const char* name) { return findings.at(name).at("value").get<double>(); }

// Four judgements of completions that are good in both respects: right, process wrong, outcome wrong, right. Process
// and outcome are each wrong in 1/4, so 4 (1/4 x 3/4 + 1/4 x 3/4) = 1.5 contradictions are expected by chance; there
// are 2. The fifth judgement misses that the reply is really worse.
TEST(Inconsistencies, AreSharesOfAllJudgements) {
  const auto counts = counted({{"a", {both_right, both_right, {}}},
                               {"a", {wrong_but_good, both_right, {}}},
                               {"b", {right_but_worse, both_right, {}}},
                               {"c", {both_right, both_right, {}}},
                               {"c", {both_right, right_but_worse, {}}}});
  const auto found = inconsistencies(counts, few);
  EXPECT_EQ(found.at("n"), 5);
  EXPECT_EQ(found.at("dialogues"), 3);
  EXPECT_NEAR(value(found, "contradictory"), 2 / 5.0, 1e-12);
  EXPECT_NEAR(value(found, "apart"), 2 / 5.0, 1e-12);
  EXPECT_NEAR(value(found, "overlooked"), 1 / 5.0, 1e-12);
  EXPECT_NEAR(value(found, "by_chance"), 1.5 / 5, 1e-12);
  EXPECT_EQ(counts.at("contradictory"), 2) << "for the report; what is counted by dialogue is not shown there";
}

// Process and outcome are wrong for the same half of the completions: no contradictions, although each is wrong half of
// the time.
TEST(Inconsistencies, TellCoherenceFromChance) {
  const auto found =
      inconsistencies(counted({{"a", {both_right, both_right, {}}}, {"b", {both_wrong, both_right, {}}}}), few);
  EXPECT_EQ(value(found, "contradictory"), 0);
  EXPECT_NEAR(value(found, "by_chance"), 0.5, 1e-12);
}

// Dialogue a has 8 of 10 judgements, all contradictory. Dialogues are resampled as a whole, so the fraction in a
// resample is 0 or more than 0.66.
TEST(Inconsistencies, AreDrawnByDialogue) {
  std::vector<std::pair<std::string, Judgement>> all(8, {"a", {right_but_worse, both_right, {}}});
  all.push_back({"b", {both_right, both_right, {}}});
  all.push_back({"c", {both_right, both_right, {}}});
  const auto found = inconsistencies(counted(all), few);
  EXPECT_NEAR(value(found, "contradictory"), 0.8, 1e-12);
  EXPECT_EQ(found.at("contradictory").at("low"), 0);
  EXPECT_EQ(found.at("contradictory").at("high"), 1);
}

TEST(Inconsistencies, SayNothingOfTruthWhereItIsNotKnown) {
  const auto found = inconsistencies(counted({{"a", {both_right, {}, true}}, {"b", {both_right, {}, false}}}), few);
  EXPECT_NEAR(value(found, "contradictory"), 0.5, 1e-12);
  EXPECT_FALSE(found.contains("by_chance"));
  EXPECT_EQ(inconsistencies({}, few), (json{{"n", 0}, {"dialogues", 0}}));
}

}  // namespace
}  // namespace compeer::stages

namespace compeer::judged {
namespace {

class Consistency : public Test {
 protected:
  plugin::Plugin<Stage> open(const json& settings) { return Test::open("consistency", settings); }

  // A chat model that answers yes for replies that are to be judged "first".
  json chat(const std::string& answer) {
    const auto table = folder / "answers.jsonl";
    std::ofstream(table) << json{{"contains", "Judged: True, True, True; first"}, {"answer", answer}} << "\n";
    return {{"plugin", "scripted"}, {"table", table.string()}};
  }
};

TEST_F(Consistency, OfOneJudgeIsJudgedByTheAnnotatorsLabels) {
  auto stage = open({});
  const auto outcomes =
      plugin::make(stage, {record("a", {true, true, true}, "second"), record("b", {true, true, true}, "first")});
  EXPECT_EQ(outcomes[0].records.at(0).at("judged"),
            (json{{"said", "True, True, True; first"}, {"contradictory", true}}));
  EXPECT_EQ(outcomes[1].records.at(0).at("judged").at("contradictory"), false);
  const auto found = findings(stage, outcomes);
  EXPECT_EQ(found.at("n"), 2);
  EXPECT_EQ(found.at("contradictory").at("value"), 0.5);
  EXPECT_EQ(found.at("apart").at("value"), 1);
  EXPECT_EQ(one.asked.size(), 8u);
  EXPECT_NE(one.asked[3].find("= True"), std::string::npos) << "the reply is judged after the steps";
}

TEST_F(Consistency, OfTwoJudgesTheSecondSeesNoVerdictOfTheFirst) {
  auto stage = open({{"outcome_model", (folder / "other").string()}});
  const auto outcomes = plugin::make(stage, {record("a", {true, true, true}, "second")});
  EXPECT_EQ(outcomes[0].counts.at("contradictory"), 1);
  EXPECT_EQ(one.asked.size(), 3u);
  ASSERT_EQ(other.asked.size(), 1u);
  EXPECT_EQ(other.asked[0].find("= True"), std::string::npos);
}

TEST_F(Consistency, MayBeDecidedByAChatModel) {
  auto stage = open({{"referee", chat("Yes.")}});
  auto unlabelled = record("a", {}, "");
  unlabelled.erase("steps");
  unlabelled.erase("preference");
  const auto outcomes = plugin::make(stage, {unlabelled});
  EXPECT_EQ(outcomes[0].records.at(0).at("judged").at("contradictory"), true);
  auto silent = open({{"referee", chat("perhaps")}});
  EXPECT_EQ(plugin::make(silent, {unlabelled})[0].dropped, "malformed answer");
}

TEST_F(Consistency, DropsWhatCanNotBeTold) {
  auto stage = open({});
  auto unlabelled = record("a", {}, "");
  unlabelled.erase("steps");
  EXPECT_EQ(plugin::make(stage, {unlabelled})[0].dropped, "no labels");
  one = judging::Scripted([](const std::string&, const std::string&, uint32_t) { return "well"; });
  EXPECT_EQ(plugin::make(stage, {record("a", {true, true, true}, "second")})[0].dropped, "unreadable judgement");
}

}  // namespace
}  // namespace compeer::judged
