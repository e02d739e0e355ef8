#include <filesystem>
#include <fstream>

#include "asked.h"
#include "compeer/dataset.h"
#include "places.h"

namespace compeer::asked {
namespace {

/// All parts of the evaluation, with answers given by the test.
class EscEval : public testing::Test {
 protected:
  std::vector<Outcome> make(const std::vector<json>& records, json settings = json::object(),
                            const std::vector<std::string>& parts = {"role_player", "supporter", "judge"}) {
    for (const auto& part : parts) settings[part] = named(part);
    stage_.emplace(built::open<Stage>(
        "esc_eval", settings,
        std::make_unique<World>(std::map<std::string, Model*>{
            {"role_player", &role}, {"supporter", &supporter}, {"judge", &judge}, {"second_judge", &second}})));
    return plugin::make(*stage_, records);
  }

  json findings(const std::vector<Outcome>& outcomes) {
    std::map<std::string, double> counts;
    for (const auto& outcome : outcomes) {
      for (const auto& [name, value] : outcome.counts) counts[name] += value;
    }
    return stage_->call("findings", [&](Stage& s) { return s.findings(counts); });
  }

  static json card(const std::string& id) { return {{"id", id}, {"card", "Problem: " + id}, {"language", "en"}}; }

  Model role{[](const std::string& prompt, uint32_t) { return says("I say more after: " + prompt); }};
  Model supporter{[](const std::string& prompt, uint32_t) { return says("So " + std::to_string(prompt.size())); }};
  Model judge{[](const std::string&, uint32_t) { return says("3"); }};
  Model second{[](const std::string&, uint32_t) { return says("Score: 1/4"); }};

 private:
  std::optional<plugin::Plugin<Stage>> stage_;
};

TEST_F(EscEval, PlaysACardForSomeRoundsAndHasItJudged) {
  const auto outcomes = make({card("a")}, {{"rounds", 2}, {"greeting", "Hi."}});
  const json& record = outcomes[0].records.at(0);
  const std::string first = "I say more after: Hi.";
  EXPECT_EQ(record.at("greeting"), "Hi.");
  EXPECT_EQ(record.at("turns"), (json{{{"role", "user"}, {"text", first}},
                                      {{"role", "assistant"}, {"text", "So 21"}},
                                      {{"role", "user"}, {"text", "I say more after: So 21"}},
                                      {{"role", "assistant"}, {"text", "So 23"}}}));
  EXPECT_EQ(record.at("scores").at("judge").at("tech"), 3);
  EXPECT_EQ(record.at("answers").at("judge").at("tech"), "3");
  EXPECT_EQ(record.at("provenance").at("scores").at("models").at("judge"), "model");
  EXPECT_EQ(record.at("provenance").at("turns").at("model"), "model");
  ASSERT_EQ(judge.prompts.size(), 7u);
  for (const auto& prompt : judge.prompts) {
    EXPECT_TRUE(prompt.starts_with("Rate ")) << prompt;
    EXPECT_NE(prompt.find("\nSupporter: Hi.\nSeeker: " + first + "\nSupporter: So 21\n"), prompt.npos) << prompt;
  }
  const json found = findings(outcomes);
  EXPECT_EQ(found.at("tech").at("value"), 75);
  EXPECT_EQ(found.at("average").at("value"), 75);
  EXPECT_EQ(found.at("models"), (json{{"judge", "model"}}));
  EXPECT_EQ(found.at("supporter"), "model");
}

TEST_F(EscEval, ShowsTheTestedModelNeitherCardNorGreeting) {
  struct Seen : Model {
    using Model::Model;
    void answer(const std::vector<ChatRequest>& requests, const OnReply& arrived) override {
      for (const auto& request : requests) all.push_back(request.turns);
      Model::answer(requests, arrived);
    }
    std::vector<std::vector<Turn>> all;
  };
  const auto say = [](const std::string& text) { return [text](const std::string&, uint32_t) { return says(text); }; };
  Seen player(say("I am sad.")), tested(say("<history>h</history><emotion>e</emotion><strategy>s</strategy>\nWhy?"));
  json settings = {{"role_player", named("r")}, {"supporter", named("s")}, {"judge", named("j")}, {"rounds", 2}};
  auto stage = built::open<Stage>(
      "esc_eval", settings,
      std::make_unique<World>(std::map<std::string, Model*>{{"r", &player}, {"s", &tested}, {"j", &judge}}));
  const auto outcomes = plugin::make(stage, {card("a")});
  ASSERT_EQ(tested.all.size(), 2u);
  ASSERT_EQ(tested.all[1].size(), 4u);
  EXPECT_EQ(tested.all[1][0].role, "system");
  EXPECT_EQ(tested.all[1][0].text, "You are a helpful assistant!") << "as published";
  EXPECT_EQ(tested.all[1][1].role, "user");
  EXPECT_EQ(tested.all[1][1].text, "I am sad.");
  EXPECT_EQ(tested.all[1][2].text, "Why?") << "steps are not part of what was said";
  ASSERT_EQ(player.all[1].size(), 4u);
  EXPECT_EQ(player.all[1][0].role, "system");
  EXPECT_TRUE(player.all[1][0].text.starts_with("You play a person in distress"));
  EXPECT_NE(player.all[1][0].text.find("\n\nProblem: a\n\n"), std::string::npos);
  EXPECT_EQ(player.all[1][1].text, "Hello, I am here to support you. What is on your mind?");
  EXPECT_EQ(player.all[1][2].role, "assistant") << "roles are the other way round";
  EXPECT_EQ(player.all[1][3].text, "Why?");
  EXPECT_EQ(outcomes[0].records.at(0).at("turns").at(1).at("steps").at("emotion"), "e");
}

TEST_F(EscEval, SpeaksTheCardsLanguage) {
  make({{{"id", "a"}, {"base", "年龄：青年\n性别：女\n职业：学生\n问题：考试"}, {"language", "chinese"}}},
       {{"rounds", 1}});
  EXPECT_EQ(role.prompts.at(0), "你好，我在这里陪你。有什么想说的吗？");
  EXPECT_TRUE(judge.prompts.at(0).starts_with("请")) << judge.prompts[0];
  EXPECT_NE(judge.prompts[0].find("求助者：I say more"), std::string::npos);
}

TEST_F(EscEval, AveragesTwoJudgesAndTellsHowTheyAgree) {
  const auto outcomes =
      make({card("a"), card("b")}, {{"rounds", 1}}, {"role_player", "supporter", "judge", "second_judge"});
  const json found = findings(outcomes);
  EXPECT_EQ(found.at("fluency").at("value"), 50);
  EXPECT_EQ(found.at("judges").at("second_judge").at("fluency").at("value"), 25);
  EXPECT_EQ(found.at("agreement").at("fluency").at("difference").at("value"), 50);
  EXPECT_EQ(found.at("agreement").at("fluency").at("equal").at("value"), 0);
}

TEST_F(EscEval, CountsScoresThatCanNotBeReadAndAveragesNone) {
  judge = Model([](const std::string& prompt, uint32_t draw) {
    if (prompt.find("fluently") != prompt.npos) return says(draw < 1 ? "3 or 4" : "4");
    if (prompt.find("skilfully") != prompt.npos) return fails();
    return says(prompt.find("I am b.") != prompt.npos && prompt.find("varied") != prompt.npos ? "none" : "2");
  });
  std::vector<json> dialogues;
  for (const std::string id : {"a", "b"})
    dialogues.push_back(
        {{"id", id},
         {"language", "en"},
         {"turns", {{{"role", "user"}, {"text", "I am " + id + "."}}, {{"role", "assistant"}, {"text", "Why?"}}}}});
  const auto outcomes = make(dialogues, {{"tries", 2}}, {"judge"});
  const json found = findings(outcomes);
  EXPECT_EQ(found.at("fluency").at("value"), 100) << "asked again";
  EXPECT_EQ(found.at("diversity").at("value"), 50);
  EXPECT_EQ(found.at("diversity").at("n"), 1);
  EXPECT_TRUE(found.at("tech").at("value").is_null());
  EXPECT_EQ(found.at("reasons"), (json{{"judge, diversity", 1}, {"judge, tech", 2}}));
  EXPECT_EQ(outcomes[0].counts.at("answers that could not be read"), 4) << "two that could be asked again, one twice";
  EXPECT_EQ(outcomes[1].records.at(0).at("scores").at("judge").at("diversity"), -1);
  EXPECT_EQ(outcomes[1].records.at(0).at("answers").at("judge").at("diversity"), "none");
  EXPECT_TRUE(outcomes[1].records.at(0).at("answers").at("judge").at("tech").is_null());
}

TEST_F(EscEval, ReadsAnswersAsThePublishedCodeDid) {
  judge = Model([](const std::string&, uint32_t) { return says("4/10"); });
  EXPECT_EQ(findings(make({card("a")}, {{"rounds", 1}, {"parser", "upstream"}})).at("tech").at("value"), 0);
}

TEST_F(EscEval, DropsWhatCanNotBePlayedForAReason) {
  role = Model([](const std::string& prompt, uint32_t draw) {
    return prompt.find("So") == prompt.npos ? says("I begin.") : draw < 2 ? says(" ") : says("");
  });
  const auto outcomes = make({card("a"), {{"id", "b"}}, {{"id", "c"}, {"base", "Age: 30"}}, card("d")});
  EXPECT_EQ(outcomes[0].dropped, "role player: says nothing");
  EXPECT_EQ(outcomes[1].dropped, "no 'card' (published ones: 'base')");
  EXPECT_EQ(outcomes[2].dropped, "a card without a problem");
  EXPECT_EQ(outcomes[2].counts.at("cards without Gender"), 1);
  EXPECT_EQ(role.prompts.size(), 2u + 3 * 2u) << "asked three times in the second round";
  EXPECT_TRUE(judge.prompts.empty());
  role = Model([](const std::string&, uint32_t) { return fails(); });
  EXPECT_EQ(make({card("a")})[0].dropped, "role player: no answer");
  role = Model([](const std::string&, uint32_t) { return says("I begin."); });
  supporter = Model([](const std::string&, uint32_t) { return fails(); });
  EXPECT_EQ(make({card("a")})[0].dropped, "supporter: no answer");
}

TEST_F(EscEval, LetsTheSeekerHearSilenceWhereTheModelSaysNothing) {
  supporter = Model([](const std::string&, uint32_t) { return says("<history>h</history><emotion>e"); });
  const auto outcomes = make({card("a")}, {{"rounds", 2}});
  EXPECT_EQ(outcomes[0].dropped, "");
  EXPECT_EQ(outcomes[0].counts.at("answers without a reply"), 2);
  EXPECT_EQ(outcomes[0].records.at(0).at("turns").at(3).at("text"), "...");
}

TEST_F(EscEval, JudgesWhatWasRecorded) {
  const json lines = {"AI assistant：Hello.", "ESC-Role：I am sad.", "AI assistant：Why?"};
  const auto outcomes =
      make({{{"id", "0"}, {"lines", lines}}, {{"id", "1"}, {"lines", {"AI assistant：Hello."}}}}, {}, {"judge"});
  const json& record = outcomes[0].records.at(0);
  EXPECT_EQ(record.at("greeting"), "Hello.");
  EXPECT_EQ(record.at("turns").size(), 2u);
  EXPECT_FALSE(record.contains("lines"));
  EXPECT_EQ(record.at("language"), "en");
  EXPECT_EQ(outcomes[0].counts.at("dialogues of fewer rounds than 5"), 1);
  EXPECT_EQ(outcomes[1].dropped, "nobody answers the seeker");
  EXPECT_EQ(findings(outcomes).at("n"), 1);
}

TEST_F(EscEval, SumsUpWhatWasJudgedWithoutAnyModel) {
  json published = {{"id", "0"},       {"fluency", 3}, {"diversity", 3}, {"empathic", 3},
                    {"suggestion", 3}, {"human", -1},  {"tech", 3},      {"overall", 2}};
  const auto outcomes = make({published, {{"id", "1"}, {"scores", {{"fluecy", 3}}}}}, {}, {});
  EXPECT_EQ(outcomes[0].records.at(0).at("scores").at("judge").at("overall"), 2);
  EXPECT_EQ(outcomes[1].dropped,
            "'fluecy' is no dimension (known: fluency, diversity, empathic, suggestion, human, tech, overall)");
  const json found = findings(outcomes);
  EXPECT_EQ(found.at("fluency").at("value"), 75);
  EXPECT_EQ(found.at("reasons"), (json{{"judge, human", 1}}));
}

TEST_F(EscEval, WhatItMadeCanBeReadAgainInAnotherWay) {
  judge = Model([](const std::string&, uint32_t) { return says("4/10"); });
  const auto outcomes = make({card("a")}, {{"rounds", 1}});
  EXPECT_EQ(findings(outcomes).at("invalid"), 7);
  const auto again = make({outcomes[0].records.at(0)}, {{"parser", "upstream"}}, {});
  EXPECT_EQ(findings(again).at("invalid"), 0);
  EXPECT_EQ(findings(again).at("average").at("value"), 0);
}

TEST_F(EscEval, DemandsModelsOnlyWhereThereIsSomethingToAsk) {
  const auto problem = [&](const json& record, const std::vector<std::string>& parts) -> std::string {
    try {
      make({record}, {}, parts);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      return error.problem();
    }
    return "";
  };
  EXPECT_EQ(problem(card("a"), {}), "a card is to be played, but the setting 'role_player' is unset");
  EXPECT_EQ(problem(card("a"), {"role_player"}), "a dialogue is to be answered, but the setting 'supporter' is unset");
  EXPECT_EQ(problem(card("a"), {"role_player", "supporter"}),
            "the dialogue 'a' is to be judged, but the setting 'judge' is unset");
}

// As with ESC-Rank: an adapter for each dimension, and others for Chinese than for English.
TEST_F(EscEval, AsksAJudgeOfItsOwnForADimensionAndALanguage) {
  Model fluent([](const std::string&, uint32_t) { return says("1"); }), fluent_zh = fluent;
  json settings = {{"role_player", named("role_player")},
                   {"supporter", named("supporter")},
                   {"judge", named("judge")},
                   {"judges", {{"en", {{"fluency", named("en")}}}, {"zh", {{"fluency", named("zh")}}}}},
                   {"rounds", 1}};
  auto stage = built::open<Stage>(
      "esc_eval", settings,
      std::make_unique<World>(std::map<std::string, Model*>{
          {"role_player", &role}, {"supporter", &supporter}, {"judge", &judge}, {"en", &fluent}, {"zh", &fluent_zh}}));
  json chinese = card("b");
  chinese["language"] = "zh";
  const auto outcomes = plugin::make(stage, {card("a"), chinese});
  ASSERT_EQ(fluent.prompts.size(), 1u);
  EXPECT_NE(fluent.prompts[0].find("fluently"), std::string::npos);
  ASSERT_EQ(fluent_zh.prompts.size(), 1u);
  EXPECT_NE(fluent_zh.prompts[0].find("流畅"), std::string::npos);
  EXPECT_EQ(judge.prompts.size(), 12u) << "six dimensions of both";
  for (const auto& outcome : outcomes) {
    EXPECT_EQ(outcome.records.at(0).at("scores").at("judge").at("fluency"), 1);
    EXPECT_EQ(outcome.records.at(0).at("scores").at("judge").at("tech"), 3);
  }
  EXPECT_EQ(built::findings(stage, outcomes).at("models"),
            (json{{"judge", "model"}, {"judge.en.fluency", "model"}, {"judge.zh.fluency", "model"}}));
}

TEST_F(EscEval, NeedsNoOtherJudgeWhereEachDimensionHasItsOwn) {
  json english;
  for (const char* dimension : {"fluency", "diversity", "empathic", "suggestion", "human", "tech", "overall"})
    english[dimension] = named("judge");
  const auto outcomes = make({card("a")}, {{"rounds", 1}, {"judges", {{"en", english}}}}, {"role_player", "supporter"});
  EXPECT_EQ(outcomes[0].records.at(0).at("scores").at("judge").at("overall"), 3);
}

// The published files, if available locally, because they can't be part of this project.
class EscEvalPublished : public EscEval {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data())) GTEST_SKIP() << "the files are not at hand: no folder " << data();
  }
  static std::filesystem::path data() {
    return std::filesystem::path(COMPEER_SOURCE_DIR) / ".." / "shared" / "data" / "esc-eval";
  }
  static std::vector<json> records(const std::string& file) {
    std::vector<json> all;
    const json read = json::parse(std::ifstream(data() / file));
    for (const auto& [name, value] : read.items()) {
      json& record = all.emplace_back(value.is_array() ? json{{"lines", value}} : value);
      if (read.is_object()) record["id"] = name;
      if (!record.at("id").is_string()) record["id"] = record.at("id").dump();
    }
    return all;
  }
};

TEST_F(EscEvalPublished, CardsArePlayed) {
  for (const std::string language : {"en", "zh"}) {
    const auto outcomes = make(records("data/card_high_" + language + ".json"), {{"rounds", 1}});
    EXPECT_EQ(outcomes.size(), language == "en" ? 331u : 324u);
    for (const auto& outcome : outcomes) EXPECT_EQ(outcome.dropped, "");
    const json found = findings(outcomes);
    EXPECT_EQ(found.at("languages").at(language).at("n"), outcomes.size());
    EXPECT_EQ(found.at("categories").at("家庭生活").at("n"), language == "en" ? 172 : 215);
    for (const auto& outcome : outcomes) {
      for (const auto& [name, count] : outcome.counts) EXPECT_FALSE(name.starts_with("cards without")) << name;
    }
  }
}

TEST_F(EscEvalPublished, DialoguesAreJudged) {
  for (const char* file : {"Qwen_7B_en", "Qwen_7B_zh", "llama3_en", "llama3_zh"}) {
    const auto outcomes = make(records(std::string("result/2024-06-24/") + file + ".json"), {}, {"judge"});
    EXPECT_EQ(outcomes.size(), 3u);
    for (const auto& outcome : outcomes) {
      ASSERT_EQ(outcome.dropped, "");
      EXPECT_EQ(outcome.records.at(0).at("turns").size(), 10u);
      EXPECT_FALSE(outcome.counts.contains("dialogues of fewer rounds than 5"));
    }
  }
}

TEST_F(EscEvalPublished, ScoresAreSummedUp) {
  const json found = findings(make(records("score/llama3_zh.json"), {}, {}));
  EXPECT_EQ(found.at("n"), 3);
  EXPECT_NEAR(found.at("fluency").at("value").get<double>(), 25 * (3 + 3 + 2) / 3.0, 1e-12);
  EXPECT_EQ(found.at("human").at("value"), 25);
  EXPECT_EQ(found.at("overall").at("value"), 50);
  EXPECT_EQ(found.at("invalid"), 0);
}

// esc_world plays all parts: its expert is a better supporter than its writer with habits.
TEST(EscEvalInTheWorld, TellsAnExpertFromAWriterWithHabits) {
  auto dataset = built::open<Dataset>("esc_world", {{"unit", "scenario"}});
  std::vector<json> records;
  for (int64_t i = 0; i < 40; ++i) {
    Example one = dataset.call("get", [&](Dataset& d) { return d.get("test", i); });
    one.record["id"] = one.id;
    records.push_back(std::move(one.record));
  }
  std::map<std::string, json> found;
  for (const std::string writer : {"expert", "habit"}) {
    const json world = {{"plugin", "esc_world"}}, supporter = {{"plugin", "esc_world"}, {"writer", writer}};
    auto stage = built::open<Stage>("esc_eval", {{"role_player", world}, {"supporter", supporter}, {"judge", world}});
    std::map<std::string, double> counts;
    for (const auto& outcome : plugin::make(stage, records)) {
      EXPECT_EQ(outcome.dropped, "");
      for (const auto& [name, value] : outcome.counts) counts[name] += value;
    }
    found[writer] = stage.call("findings", [&](Stage& s) { return s.findings(counts); });
    EXPECT_EQ(found[writer].at("n"), 40);
    EXPECT_EQ(found[writer].at("invalid"), 0);
  }
  const auto value = [&](const char* writer, const char* figure) {
    return found[writer].at(figure).at("value").get<double>();
  };
  for (const char* dimension : {"diversity", "empathic", "tech", "overall"})
    EXPECT_GT(value("expert", dimension), value("habit", dimension) + 10) << dimension;
  EXPECT_GT(value("expert", "average"), 80);
  EXPECT_EQ(found["expert"].at("categories").size(), 12u);
}

}  // namespace
}  // namespace compeer::asked
