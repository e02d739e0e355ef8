#include <filesystem>
#include <fstream>

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
    EXPECT_EQ(error.problem(), "'keeps' contains the unknown class 'crises'");
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

TEST(Filter, TellsAnswersThatWereCutOffOrEmptyFromOthersThatCanNotBeRead) {
  Model model([](const std::string& prompt, uint32_t) {
    if (prompt.find("sad a") != prompt.npos) return ChatReply{.text = "<think>Well", .finished = false, .failure = ""};
    return says(prompt.find("sad b") != prompt.npos ? " \n" : "maybe");
  });
  const auto outcomes = make("filter", model, {dialogue("a"), dialogue("b"), dialogue("c")}, {{"tries", 1}});
  EXPECT_EQ(outcomes[0].dropped, "answer cut off at max_tokens");
  EXPECT_EQ(outcomes[1].dropped, "empty answer");
  EXPECT_EQ(outcomes[2].dropped, "malformed answer");
}

TEST(Filter, AsksOnlyAboutRecordsWithTheKey) {
  Model model([](const std::string&, uint32_t) { return says("incoherent"); });
  json rewritten = dialogue("b");
  rewritten["rewritten"] = "a";
  const auto outcomes = make("filter", model, {dialogue("a"), rewritten}, {{"only", "rewritten"}});
  EXPECT_TRUE(outcomes[0].unchanged);
  EXPECT_EQ(outcomes[0].counts.at("has no key 'rewritten'"), 1);
  EXPECT_EQ(outcomes[1].dropped, "incoherent");
  EXPECT_FALSE(outcomes[1].counts.contains("has no key 'rewritten'"));
}

TEST(Filter, RefusesAKeyThatNoRecordHas) {
  Model model([](const std::string&, uint32_t) { return says("keep"); });
  json rewritten = dialogue("b");
  rewritten["rewritten"] = "a";
  try {
    make("filter", model, {dialogue("a"), rewritten}, {{"only", "rewriten"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "'only': no record has the key 'rewriten'");
    EXPECT_EQ(error.help(), "did you mean 'rewritten'? known: id, rewritten, turns");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  EXPECT_TRUE(model.prompts.empty());
  const auto outcomes = make("filter", model, {dialogue("a")}, {{"only", "rewritten"}});
  EXPECT_EQ(outcomes[0].counts.at("has no key 'rewritten'"), 1) << "nothing was rewritten";
}

// At temperature 0 only the seed distinguishes attempts.
TEST(Filter, AsksOnceWhereAnotherDrawIsTheSameRequest) {
  Model model([](const std::string&, uint32_t) { return says("maybe"); });
  const auto ask = [&](double temperature, const json& omit) {
    model.prompts.clear(), model.refused.clear();
    auto chat = named("it");
    chat["omit"] = omit;
    auto stage = built::open<Stage>("filter", {{"chat", chat}, {"temperature", temperature}},
                                    std::make_unique<World>(std::map<std::string, Model*>{{"it", &model}}));
    EXPECT_EQ(plugin::make(stage, {dialogue("a")})[0].dropped, "malformed answer");
    return model.prompts.size();
  };
  EXPECT_EQ(ask(0, {"seed"}), 1u);
  EXPECT_EQ(model.refused, (std::vector<std::string>{"maybe"})) << "which is the last try";
  EXPECT_EQ(ask(0, {"stream"}), 3u);
  EXPECT_EQ(ask(0, json::array()), 3u);
  EXPECT_EQ(ask(0.5, {"seed"}), 3u);
}

// A host that records the log.
struct Noted : World {
  Noted(Model& model, std::vector<std::string>& lines) : World({{"it", &model}}), lines_(lines) {}
  void log(const std::string& line) override { lines_.push_back(line); }
  std::vector<std::string>& lines_;
};

// Returns the log of a filter with prompts in some languages for three records, and its first prompt.
std::pair<std::vector<std::string>, std::string> with_prompts(const std::string& name,
                                                              const std::vector<std::string>& languages,
                                                              const std::string& of_records) {
  const auto folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(folder);
  for (const auto& language : languages) {
    std::filesystem::create_directories(folder / language);
    std::ofstream(folder / language / "filter.txt") << "in " << language << ": {dialogue} {answers}";
  }
  Model model([](const std::string&, uint32_t) { return says("keep"); });
  std::vector<std::string> lines;
  auto stage = built::open<Stage>("filter", {{"chat", named("it")}, {"prompts", folder.string()}},
                                  std::make_unique<Noted>(model, lines));
  std::vector<json> records = {dialogue("a"), dialogue("b"), dialogue("c")};
  for (json& record : records) record["language"] = of_records;
  plugin::make(stage, records);
  return {lines, model.prompts.at(0).substr(0, 5)};
}

TEST(Filter, SaysOnceThatItsPromptsAreInAnotherLanguage) {
  const auto [english, shown] = with_prompts("only-en", {"en"}, "zh");
  ASSERT_EQ(english.size(), 1u);
  EXPECT_TRUE(english[0].ends_with("/only-en have no 'zh': for records in Chinese, those in 'en' are used"))
      << english[0];
  EXPECT_EQ(shown, "in en");
  EXPECT_TRUE(with_prompts("fit-en", {"en"}, "en").first.empty());
  const auto chinese = with_prompts("fit-zh", {"zh"}, "zh");
  EXPECT_TRUE(chinese.first.empty()) << "a folder for Chinese data alone";
  EXPECT_EQ(chinese.second, "in zh");
  EXPECT_EQ(with_prompts("only-zh", {"zh"}, "en").first.size(), 1u);
}

TEST(Filter, NamesTheFilesThatAFolderOfPromptsNeeds) {
  try {
    with_prompts("none", {}, "en");
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.problem().ends_with("none: has neither en/filter.txt nor zh/filter.txt")) << error.problem();
    EXPECT_EQ(error.exit(), Exit::data);
  }
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
