#include "asked.h"

namespace compeer::asked {
namespace {

TEST(Filter, DropsWhatTheModelFindsUnfitForTheReasonItGives) {
  Model model([](const std::string& prompt, uint32_t) {
    return says(prompt.find("sad a") != prompt.npos   ? "Keep."
                : prompt.find("sad b") != prompt.npos ? "incoherent"
                : prompt.find("sad c") != prompt.npos ? " ARTIFICIAL\n"
                                                      : "no dialogue");
  });
  const auto outcomes = make("filter", model, {dialogue("a"), dialogue("b"), dialogue("c"), dialogue("d")});
  EXPECT_TRUE(outcomes[0].unchanged);
  EXPECT_EQ(outcomes[1].dropped, "incoherent");
  EXPECT_EQ(outcomes[2].dropped, "artificial");
  EXPECT_EQ(outcomes[2].answer, " ARTIFICIAL\n") << "as it came";
  EXPECT_EQ(outcomes[3].dropped, "no dialogue");
  EXPECT_TRUE(outcomes[0].counts.empty());
}

TEST(Filter, DropsPersonalDataAndCrisesOrKeepsThemCounted) {
  Model model([](const std::string& prompt, uint32_t) {
    return says(prompt.find("sad a") != prompt.npos ? "crisis" : "personal data");
  });
  const auto dropped = make("filter", model, {dialogue("a"), dialogue("b")});
  EXPECT_EQ(dropped[0].dropped, "crisis");
  EXPECT_EQ(dropped[1].dropped, "personal data");
  const auto kept = make("filter", model, {dialogue("a"), dialogue("b")}, {{"keeps", {"crisis"}}});
  EXPECT_EQ(kept[0].records.at(0).at("unfit"), "crisis");
  EXPECT_EQ(kept[0].counts.at("kept: crisis"), 1);
  EXPECT_EQ(kept[1].dropped, "personal data");
  try {
    make("filter", model, {}, {{"keeps", {"crises"}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "'keeps' names the class 'crises'");
    EXPECT_TRUE(error.help().starts_with("did you mean 'crisis'?")) << error.help();
  }
}

TEST(Filter, AsksAgainForWhatItCanNotReadAndCountsIt) {
  Model model([](const std::string& prompt, uint32_t draw) {
    if (prompt.find("sad a") != prompt.npos) return says(draw < 2 ? "I would keep it" : "keep");
    return prompt.find("sad b") != prompt.npos ? says("maybe") : fails();
  });
  const auto outcomes = make("filter", model, {dialogue("a"), dialogue("b"), dialogue("c")}, {{"tries", 3}});
  EXPECT_TRUE(outcomes[0].unchanged) << "the third answer could be read";
  EXPECT_EQ(outcomes[1].dropped, "malformed answer");
  EXPECT_EQ(outcomes[2].dropped, "no answer");
  EXPECT_EQ(outcomes[1].answer, "maybe");
  EXPECT_EQ(model.refused, (std::vector<std::string>{"I would keep it, again", "maybe, again", "I would keep it, again",
                                                     "maybe, again", "maybe"}));
  EXPECT_EQ(outcomes[0].counts.at("answers that could not be read"), 5) << "two of a, three of b";
  EXPECT_EQ(model.prompts.size(), 7u) << "a failure is not asked for again: the model itself has tried";
}

TEST(Filter, AsksOnlyAboutRecordsWithTheKey) {
  Model model([](const std::string&, uint32_t) { return says("incoherent"); });
  json rewritten = dialogue("b");
  rewritten["rewritten"] = "a";
  const auto outcomes = make("filter", model, {dialogue("a"), rewritten}, {{"only", "rewritten"}});
  EXPECT_TRUE(outcomes[0].unchanged);
  EXPECT_EQ(outcomes[1].dropped, "incoherent");
}

TEST(Filter, SpeaksTheRecordsLanguage) {
  Model model([](const std::string&, uint32_t) { return says("keep。"); });
  json chinese = dialogue("a");
  chinese["language"] = "zh";
  EXPECT_TRUE(make("filter", model, {chinese})[0].unchanged);
  EXPECT_NE(model.prompts[0].find("求助者：I am sad a\n支持者：What happened?"), std::string::npos) << model.prompts[0];
}

TEST(Filter, ReadsALabelWhateverStandsAroundItAndSaysWhichThereAre) {
  Model model([](const std::string& prompt, uint32_t) {
    return says(prompt.find("sad a") != prompt.npos ? "Sure! Here is my judgement:\n\n**keep**"
                                                    : "<think>hm</think>```json\n{\"answer\": \"artificial\"}\n```");
  });
  const auto outcomes = make("filter", model, {dialogue("a"), dialogue("b")});
  EXPECT_TRUE(outcomes[0].unchanged);
  EXPECT_EQ(outcomes[1].dropped, "artificial");
  EXPECT_EQ(model.choices.at(0).at(0), "keep");
}

TEST(Filter, OfNothingIsNothing) {
  Model model([](const std::string&, uint32_t) { return says("keep"); });
  EXPECT_TRUE(make("filter", model, {}).empty());
}

TEST(Filter, NamesARecordWithoutWords) {
  Model model([](const std::string&, uint32_t) { return says("keep"); });
  try {
    make("filter", model, {{{"id", "a"}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "record 'a': has neither turns nor a history");
  }
}

}  // namespace
}  // namespace compeer::asked
