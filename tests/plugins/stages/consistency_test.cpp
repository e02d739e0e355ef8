#include "judged.h"

namespace compeer::judged {
namespace {

class Consistency : public Test {
 protected:
  plugin::Plugin<Stage> open(const json& settings) { return Test::open("consistency", settings); }

  // A chat model that says yes of replies that are to be judged "first".
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
