#include "judged.h"

namespace compeer::judged {
namespace {

class LabelChoice : public Test {};

json labelled(const std::string& id, std::vector<std::string> emotion, std::vector<std::string> strategy) {
  auto one = record(id, {true, true, true}, "second");
  one["people"] = {{"emotion", emotion}, {"strategy", strategy}};
  return one;
}

// The judge finds "anger" most likely, then "fear", and all strategies equally likely.
TEST_F(LabelChoice, TakesTheLikeliestAndIsRightWithAnyOfPeoplesLabels) {
  std::vector<std::string> contexts;
  one.weights = [&](const std::string& text, const std::vector<std::string>&) -> std::vector<double> {
    contexts.push_back(text);
    const double right = text.ends_with("<emotion>anger</emotion>") ? .9 : text.find("fear") != text.npos ? .5 : .1;
    return {std::log(right), std::log(1 - right)};
  };
  auto stage = open("label_choice", {{"score_by", "likelihood"}, {"resamples", 0}});
  const std::vector<json> all = {labelled("a", {"fear", "anger"}, {"question"}), labelled("b", {"fear"}, {"others"}),
                                 labelled("c", {"joy"}, {"others"})};
  for (const json& one : all) stage.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  const auto outcomes = plugin::make(stage, all);
  EXPECT_EQ(outcomes[1].records.at(0).at("judged").dump(), R"({"emotion":"anger","strategy":"others"})");
  const auto found = findings(stage, outcomes);
  EXPECT_EQ(found.at("emotion").at("labels"), (json{"anger", "fear", "joy"}));
  EXPECT_EQ(found.at("emotion").at("confusion"), (json{{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}}))
      << "the first felt anger too; the last column is of answers that can't be read";
  EXPECT_DOUBLE_EQ(found.at("emotion").at("accuracy").at("value"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(found.at("strategy").at("accuracy").at("value"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.at("strategy").at("majority").at("accuracy").at("value"), 2.0 / 3);
  // Two rounds have the label fear (the first one as its second label); one also has anger. Always "anger" would be
  // right in one.
  EXPECT_DOUBLE_EQ(found.at("emotion").at("majority").at("accuracy").at("value"), 2.0 / 3);
  // "others" is right for two of three: precision 2/3, recall 1, F1 .8, weight 2/3.
  EXPECT_NEAR(found.at("strategy").at("majority").at("weighted_f1").at("value"), 0.8 * 2 / 3, 1e-12);
}

// The judge finds "anger" more likely than "fear" in each dialogue, but by less in the second, which is about fear.
TEST_F(LabelChoice, TellsWhatItWouldBeRightInWithoutAFavourite) {
  const std::vector<json> all = {labelled("a", {"anger"}, {"question"}), labelled("b", {"fear"}, {"question"}),
                                 labelled("c", {"anger"}, {"question"})};
  auto stage = open("label_choice", {{"score_by", "likelihood"}, {"resamples", 0}});
  for (const json& one : all) stage.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  std::vector<Outcome> outcomes;
  const std::array<std::array<double, 2>, 3> anger_fear = {{{.9, .3}, {.8, .5}, {.9, .4}}};
  for (size_t i = 0; i < all.size(); ++i) {
    one.weights = [&](const std::string& text, const std::vector<std::string>&) -> std::vector<double> {
      const double right = text.ends_with("<emotion>anger</emotion>")  ? anger_fear[i][0]
                           : text.ends_with("<emotion>fear</emotion>") ? anger_fear[i][1]
                                                                       : .5;
      return {std::log(right), std::log(1 - right)};
    };
    outcomes.push_back(plugin::make(stage, {all[i]}).at(0));
  }
  EXPECT_EQ(outcomes[1].records.at(0).at("judged").at("emotion"), "anger");
  const json& kept = outcomes[1].records.at(0).at("likelihoods").at("emotion");
  EXPECT_NEAR(kept.at("anger"), .8 - .2, 1e-9);
  EXPECT_NEAR(kept.at("fear"), 0, 1e-9);
  const json found = findings(stage, outcomes).at("emotion");
  EXPECT_DOUBLE_EQ(found.at("accuracy").at("value"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.at("majority").at("accuracy").at("value"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.at("calibrated").at("accuracy").at("value"), 1);
  EXPECT_DOUBLE_EQ(found.at("calibrated").at("weighted_f1").at("value"), 1);
}

TEST_F(LabelChoice, AsksBehindTheRightStepsAndOncePerRound) {
  std::vector<std::string> texts;
  one.weights = [&](const std::string& text, const std::vector<std::string>&) -> std::vector<double> {
    texts.push_back(text);
    return {std::log(.5), std::log(.5)};
  };
  auto wrong = labelled("a/wrong", {"fear"}, {"question"}), unlabelled = record("b", {true, true, true}, "second");
  unlabelled["people"]["ratings"] = {-4};
  wrong["steps"] = {{true, false, true}};
  auto stage = open("label_choice", {{"score_by", "likelihood"}});
  const std::vector<json> all = {labelled("a", {"fear"}, {"question"}), wrong, unlabelled};
  for (const json& one : all) stage.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  const auto outcomes = plugin::make(stage, all);
  EXPECT_EQ(outcomes[1].dropped, "borrowed in part");
  EXPECT_EQ(outcomes[2].dropped, "no labels by people");
  const auto asked = [&](const std::string& end) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return text.ends_with(end); });
  };
  EXPECT_TRUE(asked("<emotion>fear</emotion>")) << texts.size();
  EXPECT_TRUE(asked("<strategy>question</strategy>"));
}

// As a process reward model was trained.
TEST_F(LabelChoice, AsksApartAboutAStepAlone) {
  one.weights = [](const auto&, const auto&) { return std::vector<double>{std::log(.5), std::log(.5)}; };
  for (const bool apart : {false, true}) {
    one.asked.clear();
    auto stage = open("label_choice", {{"score_by", "likelihood"}, {"apart", apart}});
    const auto labels = labelled("a", {"fear"}, {"question"});
    stage.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(labels)); });
    plugin::make(stage, {labels});
    const auto found = std::find_if(one.asked.begin(), one.asked.end(), [](const std::string& conversation) {
      return conversation.ends_with("<strategy>question</strategy>");
    });
    ASSERT_NE(found, one.asked.end());
    EXPECT_EQ(found->find("<emotion>") == std::string::npos, apart) << *found;
    EXPECT_EQ(one.asked.size() == 2, apart) << "fear, and question: nothing else";
  }
}

TEST_F(LabelChoice, NeedsLikelihoods) {
  try {
    open("label_choice", {{"score_by", "answer"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("set score_by = \"likelihood\""), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace compeer::judged
