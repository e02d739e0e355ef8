#include "judged.h"

namespace compeer::judged {
namespace {

class RewardAccuracy : public Test {
 protected:
  plugin::Plugin<Stage> open(const json& settings) { return Test::open("reward_accuracy", settings); }
};

json answered(const std::string& id, const std::string& reply, const std::string& preference) {
  auto one = record(id, {true, false, true}, preference);
  one["dialogue"] = "d";
  one["candidates"][0]["reply"] = reply;
  return one;
}

TEST_F(RewardAccuracy, ComparesAnswersWithLabels) {
  auto stage = open({{"resamples", 50}});
  const auto outcomes = plugin::make(stage, {record("a", {true, false, true}, "first")});
  EXPECT_EQ(outcomes[0].records.at(0).at("judged"),
            (json{{"steps", {"True", "True", "True"}}, {"preference", "first"}}));
  const auto found = findings(stage, outcomes);
  EXPECT_EQ(found.at("history").at("accuracy").at("value"), 1);
  EXPECT_EQ(found.at("emotion").at("false_recall").at("value"), 0);
  EXPECT_EQ(found.at("reply").at("better_or_not").at("value"), 1);
  EXPECT_EQ(found.at("reply").at("ranked_within_rounds").at("pairs"), 0);
  EXPECT_TRUE(found.at("reply").at("ranked_within_rounds").at("value").is_null());
}

TEST_F(RewardAccuracy, AsksAChatModelWithItsOwnPrompts) {
  std::ofstream(folder / "table.jsonl") << R"({"contains": "Second reply: why?", "answer": "**first**"})"
                                        << "\n"
                                        << R"({"contains": "Is this correct?", "answer": "True."})"
                                        << "\n"
                                        << R"({"contains": "Is this a fitting choice", "answer": "Hard to say."})"
                                        << "\n";
  auto stage =
      open({{"model", nullptr}, {"chat", {{"plugin", "scripted"}, {"table", (folder / "table.jsonl").string()}}}});
  const auto outcomes =
      plugin::make(stage, {record("a", {true, false, true}, "first"), record("b", {true, true, true}, "second")});
  for (const auto& outcome : outcomes) {
    EXPECT_EQ(outcome.records.at(0).at("judged"),
              (json{{"steps", {"True", "True", "unreadable"}}, {"preference", "unreadable"}}));
  }
}

// Good replies: "why?" is called second and counts 1, "how?" can't be read and counts 0. The bad ones are called first:
// -1.
TEST_F(RewardAccuracy, RanksTheCompletionsOfARoundByWhatTheirRewardWouldBe) {
  one = judging::Scripted([](const std::string&, const std::string& question, uint32_t) {
    if (question.starts_with("<")) return "True";
    return question.find("why?") != question.npos   ? "second"
           : question.find("how?") != question.npos ? "well"
                                                    : "first";
  });
  const std::vector<json> round{answered("a", "why?", "second"), answered("b", "how?", "both good"),
                                answered("c", "no.", "first"), answered("d", "never.", "neither")};
  auto stage = open({{"resamples", 50}});
  const auto found = findings(stage, plugin::make(stage, round));
  EXPECT_EQ(found.at("reply").at("ranked_within_rounds").at("pairs"), 4);
  EXPECT_EQ(found.at("reply").at("ranked_within_rounds").at("value"), 1);
  EXPECT_EQ(found.at("emotion").at("ranked_within_rounds").at("pairs"), 0) << "all are False";
}

// By likelihood "why?" has .4 - .6, "no." .1 - .9: both are called worse, and yet one is above the other.
TEST_F(RewardAccuracy, ByLikelihoodRanksAlsoWhatIsAnsweredAlike) {
  one.weights = [](const std::string& text, const std::vector<std::string>& choices) -> std::vector<double> {
    if (choices.size() == 2) return {std::log(.5), std::log(.5)};
    const double good = text.find("why?") != text.npos ? .4 : .1;
    return {std::log(1 - good), std::log(good), -100, -100};
  };
  const std::vector<json> round{answered("a", "why?", "second"), answered("b", "no.", "first")};
  auto by_answer = open({}), by_likelihood = open({{"by", "likelihood"}});
  const auto value = [&](plugin::Plugin<Stage>& stage) {
    return findings(stage, plugin::make(stage, round)).at("reply").at("ranked_within_rounds").at("value");
  };
  EXPECT_EQ(value(by_answer), .5);
  EXPECT_EQ(value(by_likelihood), 1);
}

TEST_F(RewardAccuracy, DropsRecordsWithoutLabels) {
  auto unlabelled = record("a", {}, "");
  unlabelled.erase("steps");
  auto stage = open({});
  EXPECT_EQ(plugin::make(stage, {unlabelled})[0].dropped, "no labels");
}

TEST_F(RewardAccuracy, NamesARecordThatCanNotBeJudged) {
  const auto refusal = [](plugin::Plugin<Stage>& stage, const json& record) {
    try {
      return plugin::make(stage, {record})[0].dropped + " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      return error.problem() + "; " + error.help();
    }
  };
  auto reads = open({{"reads", true}}), plain = open({});
  EXPECT_EQ(refusal(reads, record("a", {true, true, true}, "first")),
            "record 'a': has no 'reading', which the stage read makes; run the stage read before this one, or leave "
            "reads and reads_replies false");
  EXPECT_EQ(
      refusal(plain, {{"id", "b"}, {"history", record("b", {}, "").at("history")}}),
      "record 'b': has no 'reference'; a judge is asked about records that the stage generate or human_labels made");
  EXPECT_EQ(refusal(plain, record("c", {true, true, true}, "secnd")).substr(0, 62),
            "record 'c': has a preference that is none: 'secnd' is not 'fir");
}

}  // namespace
}  // namespace compeer::judged
