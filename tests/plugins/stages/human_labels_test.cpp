#include <map>

#include "../built.h"
#include "stages/human_labels/labels.h"

namespace compeer {
namespace {

using nlohmann::json;

// A round of ESConv: problem and emotion are the dialogue's, the strategy is the reply's.
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
  for (const json& one : all) plugin.call("survey", [&](Stage& s) { s.survey(s.glimpse(one)); });
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

TEST(HumanLabels, BorrowsEveryPartOfAWrongRecordAndSaysSo) {
  const auto made =
      outcomes({{"borrow", 1.0}}, {round("a", 0, "anxiety", "Question"), round("b", 1, "anger", "Others")});
  ASSERT_EQ(made[0].records.size(), 2u);
  const json& wrong = made[0].records[1];
  EXPECT_EQ(wrong.at("id"), "a/0/wrong");
  EXPECT_EQ(wrong.at("candidates").dump(), R"([{"emotion":"anger","history":"job crisis of b","model":"people",)"
                                           R"("reply":"reply b/1","strategy":"Others"}])");
  EXPECT_EQ(wrong.at("reference"), "reply a/0");
  EXPECT_EQ(wrong.at("steps"), json({{false, false, false}}));
  EXPECT_EQ(wrong.at("preference"), "first");
  EXPECT_EQ(wrong.at("provenance").at("candidates").at("spoilt"), json({"history", "emotion", "strategy", "reply"}));
}

TEST(HumanLabels, BorrowsNoLabelThatIsRightToo) {
  std::vector<json> all = {round("a", 0, "anxiety", "Question"), round("b", 0, "anxiety", "Question")};
  all[1]["labels"]["strategy"] = {"Others", "Question"};
  const auto made = outcomes({{"borrow", 1.0}}, all);
  EXPECT_EQ(made[0].records[1].at("steps"), json({{false, true, true}})) << "nobody felt or did anything else";
  all.push_back(round("c", 0, "anger", "Others"));
  const auto more = outcomes({{"borrow", 1.0}}, all);
  EXPECT_EQ(more[0].records[1].at("candidates")[0].at("emotion"), "anger");
  EXPECT_EQ(more[0].records[1].at("candidates")[0].at("strategy"), "Others") << "of c, as b asks a question too";
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

// Wrong steps must not tell that the reply is wrong, nor the other way round.
TEST(HumanLabels, DrawsEachPartByItself) {
  std::vector<json> all;
  for (int i = 0; i < 400; ++i)
    all.push_back(round(std::to_string(i), i % 10, "emotion " + std::to_string(i % 7), std::to_string(i % 5)));
  std::map<std::pair<bool, bool>, int> seen;
  for (const Outcome& one : outcomes({}, all)) {
    ASSERT_EQ(one.records.size(), 2u);
    const json& wrong = one.records[1];
    ++seen[{wrong.at("steps")[0][1].get<bool>(), wrong.at("preference") == "second"}];
  }
  for (const auto& [what, count] : seen) EXPECT_NEAR(count, 100, 40) << what.first << what.second;
  EXPECT_EQ(seen.size(), 4u);
}

TEST(HumanLabels, SaysWhyNothingCanBeMadeOfARound) {
  auto unlabelled = round("a", 0, "anxiety", "Question"), tagged = unlabelled, whole = unlabelled;
  unlabelled["labels"]["strategy"] = {nullptr};
  tagged["reference"] = "<emotion>joy</emotion>";
  whole.erase("history");
  const auto made = outcomes({}, {unlabelled, tagged, whole});
  EXPECT_EQ(made[0].dropped, "no label: strategy");
  EXPECT_EQ(made[1].dropped, "can't be written in three steps and a reply");
  EXPECT_EQ(made[2].dropped, "no round");
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
  EXPECT_NE(refusal("emotion").find("'emotion' names no label: emotion"), std::string::npos) << refusal("emotion");
  EXPECT_NE(refusal("{emotion").find("'emotion' opens a brace that nothing closes: {emotion"), std::string::npos);
}

}  // namespace
}  // namespace compeer
