#include <array>
#include <set>

#include "../built.h"
#include "stages/human_labels/labels.h"

namespace compeer {
namespace {

using nlohmann::json;

// A round of ESConv: problem and emotion belong to the dialogue, the strategy to the reply.
json round(const std::string& dialogue, int number, const std::string& emotion, const std::string& strategy) {
  const auto id = dialogue + "/" + std::to_string(number);
  return {{"id", id},
          {"dialogue", dialogue},
          {"split", "train"},
          {"round", number},
          {"rounds", 10},
          {"history", {{{"role", "user"}, {"text", "hi"}}}},
          {"reference", "reply " + id},
          {"problem", "job crisis of " + dialogue},
          {"emotion", emotion},
          {"labels", {{"strategy", {strategy}}}}};
}

std::vector<Outcome> outcomes(const json& settings, const std::vector<json>& all) {
  auto plugin = built::open<Stage>("human_labels", settings);
  for (const json& one : all) plugin.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  return plugin::make(plugin, all);
}

TEST(HumanLabels, MakesARightRecordOfWhatPeopleSaidAndBorrowsTheReplyThatIsWorse) {
  const auto made = outcomes({{"wrong", 0}}, {round("a", 0, "anxiety", "Question"), round("b", 1, "anger", "Others")});
  ASSERT_EQ(made[0].records.size(), 1u);
  const json& one = made[0].records[0];
  EXPECT_EQ(one.at("id"), "a/0");
  EXPECT_EQ(one.at("candidates").dump(), R"([{"emotion":"anxiety","history":"job crisis of a","model":"people",)"
                                         R"("reply":"reply a/0","strategy":"Question"}])");
  EXPECT_EQ(one.at("reference"), "reply b/1");
  EXPECT_EQ(one.at("steps"), json({{true, true, true}}));
  EXPECT_EQ(one.at("preference"), "second") << "the candidate";
  EXPECT_EQ(one.at("people").dump(),
            R"({"emotion":["anxiety"],"history":["job crisis of a"],"strategy":["Question"]})");
  EXPECT_EQ(one.at("provenance").at("candidates").dump(), R"({"borrowed":{"reference":"b/1"},"spoilt":[]})");
}

// With one lender, any borrowed part is from b.
TEST(HumanLabels, BorrowsPartsOfAWrongRecordAndSaysSo) {
  const auto made = outcomes({{"wrong", 15}}, {round("a", 0, "anxiety", "Question"), round("b", 1, "anger", "Others")});
  ASSERT_EQ(made[0].records.size(), 16u);
  EXPECT_EQ(made[0].records[1].at("id"), "a/0/wrong");
  EXPECT_EQ(made[0].records[2].at("id"), "a/0/wrong-2");
  const json own = made[0].records[0].at("candidates")[0], other = made[1].records[0].at("candidates")[0];
  for (size_t i = 1; i < made[0].records.size(); ++i) {
    const json& wrong = made[0].records[i];
    const json& candidate = wrong.at("candidates")[0];
    json spoilt = json::array();
    size_t place = 0;
    for (const char* step : {"history", "emotion", "strategy"}) {
      const bool right = wrong.at("steps")[0][place++].get<bool>();
      EXPECT_EQ(candidate.at(step), (right ? own : other).at(step));
      if (!right) spoilt.push_back(step);
    }
    const bool better = wrong.at("preference") == "second";
    EXPECT_EQ(candidate.at("reply"), better ? "reply a/0" : "reply b/1");
    EXPECT_EQ(wrong.at("reference"), better ? "reply b/1" : "reply a/0");
    if (!better) spoilt.push_back("reply");
    EXPECT_FALSE(spoilt.empty());
    EXPECT_EQ(wrong.at("provenance").at("candidates").at("spoilt"), spoilt);
  }
}

TEST(HumanLabels, BorrowsNoLabelThatIsRightToo) {
  std::vector<json> all = {round("a", 0, "anxiety", "Question"), round("b", 0, "anxiety", "Question")};
  all[1]["labels"]["strategy"] = {"Others", "Question"};
  const auto borrowed = [&](const std::string& step) {
    std::set<std::string> from;
    const auto made = outcomes({{"wrong", 15}}, all);
    for (const json& one : made[0].records) {
      const json& parts = one.at("provenance").at("candidates").at("borrowed");
      if (parts.contains(step)) from.insert(parts.at(step));
    }
    return from;
  };
  EXPECT_EQ(borrowed("history"), std::set<std::string>{"b/0"});
  EXPECT_EQ(borrowed("emotion"), std::set<std::string>{}) << "nobody felt anything else";
  EXPECT_EQ(borrowed("strategy"), std::set<std::string>{}) << "b asks a question, too";
  all.push_back(round("c", 0, "anger", "Others"));
  EXPECT_EQ(borrowed("emotion"), std::set<std::string>{"c/0"});
  EXPECT_EQ(borrowed("strategy"), std::set<std::string>{"c/0"});
}

TEST(HumanLabels, BorrowsFromAnotherDialogueOfTheSameSplitThatIsAsFarOn) {
  std::vector<json> all = {round("a", 0, "anxiety", "Question"), round("a", 1, "anger", "Others"),
                           round("b", 9, "anger", "Others"), round("c", 1, "anger", "Others")};
  all[3]["split"] = "test";
  EXPECT_EQ(outcomes({}, all)[0].dropped, "nobody to borrow a reply from");
  all.push_back(round("d", 1, "anger", "Others"));
  const auto made = outcomes({{"wrong", 8}}, all);
  ASSERT_EQ(made[0].records.size(), 9u);
  for (const json& one : made[0].records) {
    for (const auto& [part, id] : one.at("provenance").at("candidates").at("borrowed").items()) EXPECT_EQ(id, "d/1");
  }
  EXPECT_TRUE(outcomes({{"parts", 1}}, all)[2].dropped.empty()) << "a dialogue of one part";
}

// Wrong steps must not reveal that the reply is wrong, nor that other steps are; the right records count, too. With
// three wrong records a part is wrong with probability 1 - 4^(-1/4) = .293, two parts with .0858.
TEST(HumanLabels, WhatIsWrongTellsNothingAboutTheRest) {
  std::vector<json> all;
  for (int i = 0; i < 2000; ++i)
    all.push_back(round(std::to_string(i), i % 10, "emotion " + std::to_string(i % 7), std::to_string(i % 5)));
  std::array<double, 4> wrong{};
  std::array<std::array<double, 4>, 4> both{};
  double n = 0;
  for (const Outcome& one : outcomes({}, all)) {
    ASSERT_EQ(one.records.size(), 4u);
    for (const json& record : one.records) {
      const json& steps = record.at("steps")[0];
      const bool is[] = {!steps[0].get<bool>(), !steps[1].get<bool>(), !steps[2].get<bool>(),
                         record.at("preference") == "first"};
      for (size_t i = 0; i < 4; ++i) {
        wrong[i] += is[i];
        for (size_t k = 0; k < 4; ++k) both[i][k] += is[i] && is[k];
      }
      ++n;
    }
  }
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(wrong[i] / n, 0.2929, 0.02) << i << ": four deviations of 8,000 records";
    for (size_t k = 0; k < i; ++k) EXPECT_NEAR(both[i][k] / n, 0.0858, 0.013) << i << ", " << k;
  }
}

TEST(HumanLabels, SaysWhyNothingCanBeMadeOfARound) {
  auto unlabelled = round("a", 0, "anxiety", "Question"), tagged = unlabelled, whole = unlabelled;
  unlabelled["labels"]["strategy"] = {nullptr};
  tagged["reference"] = "<emotion>joy</emotion>";
  whole.erase("history");
  const auto made = outcomes({}, {unlabelled, tagged, whole});
  EXPECT_EQ(made[0].dropped, "no label 'strategy'; there are: emotion, problem");
  EXPECT_EQ(made[1].dropped, "can't be written in three steps and a reply");
  EXPECT_EQ(made[2].dropped, "no round: the stage sample draws them");
}

TEST(LabelsOf, TakesTheSeekersTurnThenTheDialogueThenTheReply) {
  json one = round("a", 0, "anxiety", "Question");
  one["labels"]["emotion"] = {"joy"};
  EXPECT_EQ(stages::labels_of(one, "emotion"), std::vector<std::string>{"anxiety"});
  one["seeker"]["before"]["emotion"] = {"anger", nullptr, "fear", "anger"};
  EXPECT_EQ(stages::labels_of(one, "emotion"), (std::vector<std::string>{"anger", "fear"}));
  one["seeker"]["before"]["emotion"] = {nullptr};
  EXPECT_EQ(stages::labels_of(one, "emotion"), std::vector<std::string>{"anxiety"});
  one.erase("emotion");
  EXPECT_EQ(stages::labels_of(one, "emotion"), std::vector<std::string>{"joy"});
  EXPECT_TRUE(stages::labels_of(one, "feedback").empty());
  EXPECT_TRUE(stages::labels_of(one, "reference").empty()) << "the reply must not stand in a step";
}

TEST(LabelTemplate, PutsLabelsInTheirPlacesInOneLine) {
  json one = round("a", 0, "anxiety", "Question");
  one["situation"] = "I was\nlet go. ";
  one["labels"]["strategy"] = {"Question", "Others"};
  const auto step = stages::LabelTemplate("history", "They feel {emotion}: {situation} ({strategy})").of(one);
  EXPECT_EQ(step.text, "They feel anxiety: I was let go. (Question, Others)");
  EXPECT_EQ(step.values, (std::vector<std::string>{"anxiety", "I was\nlet go. ", "Question", "Others"}));
  EXPECT_EQ(stages::LabelTemplate("history", "{cause}").of(one).missing, "cause");
}

TEST(LabelTemplate, RefusesATextThatNamesNoLabel) {
  const auto refusal = [](const std::string& text) {
    try {
      stages::LabelTemplate("emotion", text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal("emotion").find("'emotion' contains no label: emotion"), std::string::npos) << refusal("emotion");
  EXPECT_NE(refusal("{} x").find("'emotion' has braces without a label: {} x"), std::string::npos) << refusal("{} x");
  EXPECT_NE(refusal("{emotion").find("'emotion' has an opening brace without a closing one: {emotion"),
            std::string::npos);
}

}  // namespace
}  // namespace compeer
