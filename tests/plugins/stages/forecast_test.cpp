#include <filesystem>
#include <fstream>

#include "asked.h"
#include "judged.h"

namespace compeer::asked {
namespace {

/// Everybody who answers is the same model.
class Foretold : public testing::Test {
 protected:
  Foretold() {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "model.safetensors") << "weights";
  }

  struct LocalWorld : World {
    LocalWorld(Model& model, LanguageModel& local) : World({{"it", &model}}), local_(local) {}
    LanguageModel& language_model(const std::string&) override { return local_; }
    LanguageModel& local_;
  };

  plugin::Plugin<Stage> open(const std::string& stage, const json& settings) {
    return built::open<Stage>(stage, settings, std::make_unique<LocalWorld>(model, local));
  }

  // Of each model {who, requests, read, written}; `records` become what goes on.
  json stage(const std::string& name, const json& settings, Forecast& records) {
    auto plugin = open(name, settings);
    return rows(plugin.call("forecast", [&](Stage& s) { return s.forecast(records); }));
  }

  json reward(const std::string& name, const json& settings, const Forecast& completions) {
    auto plugin = built::open<Reward>(name, settings, std::make_unique<LocalWorld>(model, local));
    return rows(plugin.call("forecast", [&](Reward& r) { return r.forecast(completions); }));
  }

  // As often as the stage asks about these records, if nobody's answer is refused.
  void expect_as_foretold(const std::string& name, const json& settings, const std::vector<json>& records) {
    Forecast all{{{"train", static_cast<double>(records.size())}}};
    double requests = 0;
    for (const auto& row : stage(name, settings, all)) requests += row.at(1).get<double>();
    auto plugin = open(name, settings);
    model.prompts.clear();
    plugin::make(plugin, records);
    EXPECT_EQ(static_cast<double>(model.prompts.size()), requests) << name;
  }

  static json rows(const std::vector<Asked>& asked) {
    json all = json::array();
    for (const Asked& one : asked) all.push_back({one.who, one.requests, one.read, one.written});
    return all;
  }

  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "foretold_model";
  const json it = named("it"), at = folder.string();
  Model model{[](const std::string&, uint32_t) { return says("3"); }};
  judging::Scripted local{[](const std::string&, const std::string&, uint32_t) { return "True"; }};
};

Forecast rounds(double records, double tokens = 300, double answer = 100) {
  return {{{"train", records}}, records, tokens, answer};
}

void expect_records(const Forecast& records, const std::map<std::string, double>& wanted) {
  ASSERT_EQ(records.records.size(), wanted.size());
  for (const auto& [split, count] : wanted) EXPECT_NEAR(records.records.at(split), count, 1e-9) << split;
}

// The paper's: 1300 dialogues, 4 rounds of each, 2 completions of each round, and all of them in other words too.
TEST_F(Foretold, RecordsForJudgesFromDialogues) {
  Forecast records{{{"train", 910}, {"valid", 195}, {"test", 195}}, 1300, 600};
  EXPECT_EQ(stage("filter", {{"chat", it}}, records), (json{{"chat", 1300, 600, 16}}));
  EXPECT_EQ(stage("sample", {{"rounds", 4}}, records), json::array());
  expect_records(records, {{"train", 3640}, {"valid", 780}, {"test", 780}});
  EXPECT_EQ(records.dialogues, 1300);
  EXPECT_EQ(records.tokens, 300) << "half of a dialogue";
  EXPECT_EQ(stage("generate", {{"writer", it}, {"second_writer", it}}, records),
            (json{{"writer", 5200, 300, 512}, {"second_writer", 5200, 300, 512}}));
  expect_records(records, {{"train", 7280}, {"valid", 1560}, {"test", 1560}});
  EXPECT_EQ(records.answer, 512);
  const json annotators = {{"annotator", it}, {"second_annotator", it}, {"third_annotator", it}};
  EXPECT_EQ(stage("annotate", annotators, records), (json{{"annotator", 4 * 10400, 812, 16},
                                                          {"second_annotator", 4 * 10400, 812, 16},
                                                          {"third_annotator", 4 * 10400, 812, 16}}));
  EXPECT_EQ(stage("persona", {{"chat", it}}, records), (json{{"chat", 1300, 600, 128}})) << "the longest round";
  EXPECT_EQ(stage("rewrite", {{"chat", it}}, records), (json{{"chat", 10400, 812, 2048}}));
  EXPECT_EQ(records.all(), 20800);
  stage("split", {{"test", 0.05}, {"valid", 0.02}, {"again", {"train", "valid", "test"}}}, records);
  expect_records(records, {{"train", 19344}, {"valid", 416}, {"test", 1040}});
  EXPECT_EQ(stage("persona", {{"chat", it}}, records)[0][1], 2600) << "in other words it is another person";
}

TEST_F(Foretold, OneWriterAndNothingKept) {
  Forecast records = rounds(10);
  EXPECT_EQ(stage("generate", {{"writer", it}, {"max_tokens", 80}}, records), (json{{"writer", 10, 300, 80}}));
  EXPECT_EQ(stage("rewrite", {{"chat", it}, {"keep", false}}, records), (json{{"chat", 10, 380, 2048}}));
  expect_records(records, {{"train", 10}});
  EXPECT_EQ(records.dialogues, 10);
}

TEST_F(Foretold, SplitsStayAndTheRestIsDivided) {
  Forecast records{{{"", 100}, {"valid", 10}}, 110};
  stage("split", {{"valid", 0.1}, {"test", 0.2}}, records);
  expect_records(records, {{"train", 70}, {"valid", 20}, {"test", 20}});
  stage("split", {{"valid", 0.1}, {"test", 0.2}, {"again", {"valid"}}}, records);
  expect_records(records, {{"train", 70 + 14}, {"valid", 2}, {"test", 20 + 4}});
}

TEST_F(Foretold, RecordsBesideThoseThatThereAre) {
  Forecast records = rounds(100);
  EXPECT_EQ(stage("respond", {{"model", at}, {"share", 0.25}, {"max_tokens", 200}}, records),
            (json{{"model", 25, 300, 200}}));
  expect_records(records, {{"train", 125}});
  EXPECT_EQ(records.answer, 200);
  stage("spoil", {{"share", 0.2}}, records);
  expect_records(records, {{"train", 150}});
  stage("human_labels", {{"wrong", 3}}, records);
  expect_records(records, {{"train", 600}});
}

TEST_F(Foretold, AReaderIsAskedOfDialoguesAndReplies) {
  Forecast records = rounds(10);
  EXPECT_EQ(stage("read", {{"model", at}}, records), (json{{"model", 10, 300, 100}}));
  EXPECT_EQ(stage("read", {{"model", at}, {"replies", true}}, records),
            (json{{"model", 10, 300, 100}, {"model", 20, 500, 100}}));
  EXPECT_EQ(stage("perplexity", {{"model", at}}, records), (json{{"model", 10, 500, 0}}));
}

// Three steps and a reply; ahead 1 + 2 + 4 + 8, for each verdict on a step has two words.
TEST_F(Foretold, AJudgeIsAskedFourQuestions) {
  Forecast records = rounds(574);
  EXPECT_EQ(stage("reward_accuracy", {{"chat", it}}, records), (json{{"chat", 4 * 574, 400, 64}}));
  EXPECT_EQ(stage("reward_accuracy", {{"chat", it}, {"ahead", true}}, records), (json{{"chat", 15 * 574, 400, 64}}));
  EXPECT_EQ(stage("reward_accuracy", {{"chat", it}, {"votes", 3}}, records), (json{{"chat", 12 * 574, 400, 64}}));
  EXPECT_EQ(stage("reward_accuracy", {{"model", at}, {"by", "likelihood"}}, records), (json{{"model", 574, 400, 0}}));
  EXPECT_EQ(stage("human_agreement", {{"model", at}}, records), (json{{"model", 2 * 574, 400, 4 * 16}}));
  EXPECT_EQ(stage("consistency", {{"chat", it}, {"referee", it}}, records),
            (json{{"chat", 4 * 574, 400, 64}, {"referee", 574, 500, 16}}));
  EXPECT_EQ(stage("label_choice", {{"model", at}, {"by", "likelihood"}}, records), (json{{"model", 16 * 574, 400, 0}}))
      << "of each label";
  expect_records(records, {{"train", 574}});
}

TEST_F(Foretold, TwoAnswersAreComparedInBothOrders) {
  Forecast records = rounds(200, 300, 0);
  EXPECT_EQ(stage("answer", {{"supporter", it}, {"supporter_tokens", 120}}, records),
            (json{{"supporter", 200, 300, 120}}));
  for (const int models : {3, 4}) {
    records.answers = models;
    Forecast all = records, one = records;
    EXPECT_EQ(stage("pairwise", {{"judge", it}}, all)[0][1], models == 3 ? 2 * 600 : 2 * 1200);
    EXPECT_EQ(stage("pairwise", {{"judge", it}, {"against", "mine"}}, one),
              (json{{"judge", 2 * 200 * (models - 1), 300 + 2 * 120, 16}}));
    expect_records(one, {{"train", 200.0 * (models - 1)}});
  }
  EXPECT_EQ(stage("pairwise", json::object(), records), json::array()) << "people are";
}

TEST_F(Foretold, RecordsInOtherWordsAreFilteredAlone) {
  Forecast records = rounds(200, 300, 0);
  stage("rewrite", {{"chat", it}}, records);
  EXPECT_EQ(stage("filter", {{"chat", it}, {"only", "rewritten"}}, records)[0][1], 200);
  EXPECT_EQ(stage("filter", {{"chat", it}}, records)[0][1], 400);
}

// A round is 256 tokens of the seeker and 512 of the supporter, who hears 256 first and 256 + 768 then.
TEST_F(Foretold, CardsArePlayedAndJudged) {
  const json players = {{"role_player", it}, {"supporter", it}, {"rounds", 2}};
  const json played = {{"role_player", 200, 80 + 768 / 2, 256}, {"supporter", 200, 256 + 768 / 2, 512}};
  json settings = players, all = played;
  settings["judge"] = it;
  all.push_back({"judge", 700, 2 * 768, 64});
  Forecast cards{{{"test", 100}}, 0, 80, 0, 0.4};
  EXPECT_EQ(stage("esc_eval", settings, cards), all);
  EXPECT_EQ(cards.tokens, 2 * 768);

  settings["second_judge"] = it;
  settings["judges"] = {{"en", {{"fluency", it}}}, {"zh", {{"fluency", it}, {"tech", it}}}};
  cards.tokens = 80;
  all = played;
  all.push_back({"judge", 6 * 60 + 5 * 40, 2 * 768, 64});
  all.push_back({"second_judge", 700, 2 * 768, 64});
  all.push_back({"judges.en.fluency", 60, 2 * 768, 64});
  for (const char* chinese : {"judges.zh.fluency", "judges.zh.tech"}) all.push_back({chinese, 40, 2 * 768, 64});
  EXPECT_EQ(stage("esc_eval", settings, cards), all);

  Forecast recorded{{{"test", 100}}, 0, 900};
  EXPECT_EQ(stage("esc_eval", {{"judge", it}}, recorded), (json{{"judge", 700, 900, 64}}));
  EXPECT_EQ(stage("esc_eval", json::object(), recorded), json::array());
}

// Two rounds: the supporter answers the first words, then 512 and 1024 tokens more. Between, the simulator is asked
// twice, and the second time shown its 1024 tokens of planning.
TEST_F(Foretold, ASeekerIsSimulated) {
  Forecast profiles{{{"test", 100}}, 0, 300};
  EXPECT_EQ(stage("sage", {{"simulator", it}, {"supporter", it}, {"rounds", 2}}, profiles),
            (json{{"simulator", 200, 300 + 512 + 1024 / 2, 1024}, {"supporter", 200, 300 + (512 + 1024) / 2, 512}}));
  EXPECT_EQ(profiles.tokens, 300 + 1024 + 2 * 512);
}

TEST_F(Foretold, AsOftenAsTheyAreAsked) {
  const auto card = [](const char* id) { return json{{"id", id}, {"card", "Problem: " + std::string(id)}}; };
  expect_as_foretold("esc_eval", {{"role_player", it}, {"supporter", it}, {"judge", it}}, {card("a"), card("b")});
  model = Model([](const std::string& prompt, uint32_t) {
    return says(prompt.find("both good") != prompt.npos ? "first" : "True");
  });
  expect_as_foretold("reward_accuracy", {{"chat", it}}, {judged::record("a", {true, true, true}, "first")});
  model = Model([](const std::string&, uint32_t) { return says("Change: 0\nResponse: Well."); });
  const json profile = {{"id", "a"}, {"player", "p"}, {"scene", "s"}, {"task", "t"}, {"first_talk", "Hello."}};
  for (const int most : {1, 2, 5})
    expect_as_foretold("sage", {{"simulator", it}, {"supporter", it}, {"rounds", most}}, {profile});
}

TEST_F(Foretold, RewardsAskOfEachCompletion) {
  const Forecast completions = rounds(128, 300, 400);
  EXPECT_EQ(reward("unifireward", {{"chat", it}}, completions), (json{{"chat", 4 * 128, 700, 64}}));
  EXPECT_EQ(reward("prm", {{"chat", it}}, completions), (json{{"chat", 3 * 128, 700, 64}}));
  EXPECT_EQ(reward("orm", {{"chat", it}}, completions), (json{{"chat", 128, 700, 64}}));
  EXPECT_EQ(reward("unifireward", {{"model", at}, {"outcome_model", at}}, completions),
            (json{{"model", 128, 700, 3 * 16}, {"outcome_model", 128, 700, 16}}));
  EXPECT_EQ(reward("unifireward", {{"chat", it}, {"outcome_chat", it}, {"ahead", true}}, completions),
            (json{{"chat", 3 * 128, 700, 64}, {"outcome_chat", 128, 700, 64}}))
      << "apart, nothing depends on a verdict";
  EXPECT_EQ(reward("orm", {{"model", at}, {"reader", at}}, completions),
            (json{{"model", 128, 700, 16}, {"reader", 128, 300, 400}}));
}

}  // namespace
}  // namespace compeer::asked
