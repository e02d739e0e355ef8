#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/model_folder.h"
#include "built.h"
#include "language_model.h"

namespace compeer::judging {
namespace {

const std::string whole = "<history>h</history><emotion>e</emotion><strategy>s</strategy>\nreply";

// Steps 1 and 3 are right, and the reply is as good as the reference.
std::string judged(const std::string&, const std::string& question, uint32_t) {
  return question.starts_with("<emotion>") ? "False" : question.starts_with("<") ? "True" : "both good";
}

class JudgedRewards : public testing::Test {
 protected:
  JudgedRewards() : services(built::services()) {
    services.language_model = [this](const std::string& folder) -> LanguageModel& {
      if (folder == "a/reader") return reader;
      if (folder == "a/judge of replies") return of_replies;
      EXPECT_TRUE(folder == "a/judge" || folder == trained.string()) << folder;
      return language_model;
    };
  }

  // Returns the values for one completion, by name.
  std::map<std::string, double> score(const std::string& name, nlohmann::json settings, const std::string& text) {
    if (!settings.contains("chat") && !settings.contains("model")) settings["model"] = "a/judge";
    const auto found = built::finder().get("rewards", name);
    auto reward =
        built::open<Reward>(name, settings,
                            std::make_unique<plugin::RunHost>(
                                plugin::PluginFile{found.kind, found.name, found.path, found.sha256}, services));
    const Example example{"x", {{"user", "i am sad"}}, whole, {}};
    const auto names = plugin::columns(reward);
    const auto numbers = built::values(plugin::score(reward, {example, built::completions({text})}, names));
    std::map<std::string, double> row;
    for (size_t i = 0; i < names.size(); ++i) row[names[i]] = numbers[i];
    return row;
  }

  // Returns the error for a reward with these settings, or "nothing".
  std::string refusal(const std::string& name, const nlohmann::json& settings) {
    try {
      score(name, settings, whole);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::spec);
      return error.problem() + "\n  help: " + error.help();
    }
    return "nothing";
  }

  // A folder with the format in which a judge was trained.
  const std::filesystem::path trained =
      std::filesystem::path(testing::TempDir()) / ("trained_" + std::to_string(::getpid()));
  void train(const nlohmann::json& form) {
    std::filesystem::create_directories(trained);
    std::ofstream(trained / "form.json") << form.dump();
  }
  void TearDown() override { std::filesystem::remove_all(trained); }

  Scripted language_model{judged};
  Scripted of_replies{[](const std::string&, const std::string&, uint32_t) { return "second"; }};
  Scripted reader{[](const std::string&, const std::string&, uint32_t) { return "<history>early</history>"; }};
  plugin::Services services;
};

TEST_F(JudgedRewards, UnifiRewardAddsStepsReplyAndFormat) {
  EXPECT_EQ(score("unifireward", {}, whole), (std::map<std::string, double>{{"reward", 3},
                                                                            {"history", 1},
                                                                            {"emotion", -1},
                                                                            {"strategy", 1},
                                                                            {"reply", 1},
                                                                            {"format", 1},
                                                                            {"asked", 4},
                                                                            {"unreadable", 0}}));
  EXPECT_EQ(score("unifireward", {{"step_weight", 0.5}, {"reply_weight", 2}, {"format_weight", 0}}, whole)["reward"],
            2.5);
}

TEST_F(JudgedRewards, PartsThatAreMissingCountMinusOneWithoutAQuestion) {
  const auto row = score("unifireward", {}, "<history>h</history><strategy>s</strategy>\nreply");
  EXPECT_EQ(row.at("emotion"), -1);
  EXPECT_EQ(row.at("format"), -1);
  EXPECT_EQ(row.at("reward"), 1) << "1 - 1 + 1 + 1 - 1";
  EXPECT_EQ(language_model.asked.size(), 3u);
  EXPECT_EQ(score("unifireward", {{"broken_format", -5}}, "<history>h</history>\nreply")["reward"], -5);
}

TEST_F(JudgedRewards, ACompletionWithoutPartsHasTheLeastRewardAndNobodyIsAsked) {
  EXPECT_EQ(score("unifireward", {}, "")["reward"], -5);
  EXPECT_TRUE(language_model.asked.empty());
}

TEST_F(JudgedRewards, AReaderSaysWhatTheRepliesDo) {
  score("orm", {{"reader", "a/reader"}, {"reads_replies", true}}, whole);
  EXPECT_EQ(language_model.asked.at(0),
            "user: i am sad\n? <history>early</history>reply\nreply\n<history>same</history>\n<history>same</history>");
  EXPECT_EQ(reader.asked.size(), 2u) << "the dialogue, and the reply, which is the reference here";
  try {
    score("orm", {{"reads_replies", true}}, whole);
    FAIL() << "nobody there to read";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("reads_replies = true requires a 'reader'"), std::string::npos)
        << error.what();
  }
}

TEST_F(JudgedRewards, AnAnswerThatCanNotBeReadCountsNothing) {
  language_model = Scripted([](const std::string&, const std::string&, uint32_t) { return "well"; });
  const auto row = score("unifireward", {}, whole);
  EXPECT_EQ(row.at("asked"), 4);
  EXPECT_EQ(row.at("unreadable"), 4);
  EXPECT_EQ(row.at("reward"), 1) << "the format";
}

// A missing answer is NaN, not 0, so means ignore it.
TEST_F(JudgedRewards, WhatAChatModelDoesNotAnswerHasNoValue) {
  const auto table = std::filesystem::path(testing::TempDir()) / ("judge_" + std::to_string(::getpid()) + ".jsonl");
  std::ofstream(table) << R"({"contains": "<history>", "answer": "True"})"
                       << "\n"
                       << R"({"contains": "<emotion>", "answer": "well"})"
                       << "\n";
  const nlohmann::json chat{{"plugin", "scripted"}, {"table", table.string()}};
  const auto row = score("unifireward", {{"chat", chat}, {"no_instructions", true}}, whole);
  EXPECT_EQ(row.at("history"), 1);
  for (const char* part : {"emotion", "strategy", "reply", "reward"}) EXPECT_TRUE(std::isnan(row.at(part))) << part;
  EXPECT_EQ(row.at("format"), 1);
  EXPECT_EQ(row.at("asked"), 2);
  EXPECT_EQ(row.at("unreadable"), 1);
  std::filesystem::remove(table);
}

TEST_F(JudgedRewards, AReaderReadsTheDialogueOnceAndIsShownBesideTheSteps) {
  score("unifireward", {{"reader", "a/reader"}}, whole);
  ASSERT_EQ(reader.asked.size(), 1u);
  EXPECT_EQ(reader.asked[0], "user: i am sad\n? ");
  EXPECT_EQ(language_model.asked[0], "user: i am sad\n? <history>h</history><history>early</history>");
  score("orm", {{"reader", "a/reader"}}, whole);
  EXPECT_EQ(language_model.asked.back(), "user: i am sad\n? <history>early</history>reply\nreply");
}

TEST_F(JudgedRewards, PrmAndOrmAddUpToTheSameParts) {
  EXPECT_EQ(score("prm", {}, whole),
            (std::map<std::string, double>{
                {"reward", 1}, {"history", 1}, {"emotion", -1}, {"strategy", 1}, {"asked", 3}, {"unreadable", 0}}));
  EXPECT_EQ(language_model.asked.size(), 3u);
  EXPECT_EQ(score("orm", {}, whole),
            (std::map<std::string, double>{{"reward", 1}, {"reply", 1}, {"asked", 1}, {"unreadable", 0}}));
}

TEST_F(JudgedRewards, TwoJudgesAreEachAskedTheirOwn) {
  const auto row = score("unifireward", {{"outcome_model", "a/judge of replies"}}, whole);
  EXPECT_EQ(row.at("reward"), 3);
  EXPECT_EQ(language_model.asked.size(), 3u);
  EXPECT_EQ(of_replies.asked.size(), 1u);
}

// Step 2 is wrong and the reply is good; then everything is wrong.
TEST_F(JudgedRewards, ContradictionsAreLeftOutIfAsked) {
  const nlohmann::json settings = {{"contradictory", "left_out"}};
  const auto row = score("unifireward", settings, whole);
  EXPECT_TRUE(std::isnan(row.at("reward")));
  EXPECT_EQ(row.at("reply"), 1) << "what was said stays in the log";
  EXPECT_FALSE(std::isnan(score("unifireward", settings, "no steps").at("reward"))) << "what is broken is not excused";
  language_model = Scripted([](const std::string&, const std::string& question, uint32_t) {
    return question.starts_with("<") ? "False" : "first";
  });
  EXPECT_EQ(score("unifireward", settings, whole).at("reward"), -3);
}

TEST_F(JudgedRewards, RefuseAJudgeThatWasTrainedToBeAskedInAnotherForm) {
  const std::string folder = trained.string();
  nlohmann::json form = {
      {"view", "unifireward"},           {"prompts", "mine/en"},
      {"prompts_sha256", "0123"},        {"reads", false},
      {"step_words", {"True", "False"}}, {"preference_words", {"first", "second", "both good", "neither"}},
      {"reads_replies", false}};
  const auto says = [&](const std::string& differences) {
    return folder + ": this judge was trained with other settings: " + differences +
           "\n  help: use the settings of the training (a reward's 'reads' is its 'reader', label_choice has none), "
           "or train a judge with these";
  };
  const auto refused = [&](const std::string& name, nlohmann::json settings) {
    train({{"judge", form}});
    settings["model"] = folder;
    auto text = refusal(name, settings);
    const auto at = text.find(folder);
    return at == std::string::npos ? text : text.substr(at);
  };
  EXPECT_EQ(refused("unifireward", {}), says("prompts: \"mine/en\" in training, unset here"));
  const std::string prompts = COMPEER_SOURCE_DIR "/plugins/empathy/prompts/en";
  EXPECT_EQ(refused("unifireward", {{"prompts", prompts}}),
            says("prompts: \"mine/en\" in training, \"" + prompts + "\" here (their texts differ)"));
  form["prompts"] = form["prompts_sha256"] = nullptr;
  EXPECT_EQ(refused("unifireward", {}), "nothing");
  EXPECT_EQ(refused("unifireward", {{"prompts", prompts}}),
            says("prompts: unset in training, \"" + prompts + "\" here"));
  EXPECT_EQ(refused("unifireward", {{"step_words", {"yes", "no"}}}),
            says(R"(step_words: ["True","False"] in training, ["yes","no"] here)"));
  EXPECT_EQ(refused("unifireward", {{"reader", "a/reader"}, {"reads_replies", true}}),
            says("reads: false in training, true here; reads_replies: false in training, true here"));
  EXPECT_EQ(refused("prm", {}), says(R"(view: "unifireward" in training, "prm" here)"));
  EXPECT_EQ(refused("unifireward", {{"outcome_model", "a/judge of replies"}}),
            says(R"(view: "unifireward" in training, "prm" here)"));
  form["view"] = "orm";
  EXPECT_EQ(refused("orm", {{"step_words", {"yes", "no"}}}), "nothing") << "it is asked about no step";
}

TEST_F(JudgedRewards, RefuseAJudgeOfAnotherFormBehindALocalChatModel) {
  train({{"judge", {{"view", "unifireward"}, {"prompts", nullptr}, {"prompts_sha256", nullptr}}}});
  const nlohmann::json chat = {{"plugin", "local"}, {"path", trained.string()}};
  EXPECT_NE(refusal("unifireward", {{"chat", chat}}).find("prompts: unset in training, "), std::string::npos);
}

TEST_F(JudgedRewards, RefuseAnAdapterOverOtherWeights) {
  const auto base = trained / "base";
  std::filesystem::create_directories(base);
  std::ofstream(base / "config.json") << "{}";
  std::ofstream(base / "model.safetensors") << "weights";
  std::ofstream(trained / "adapter_config.json") << nlohmann::json{{"base_model_name_or_path", "base"}}.dump();
  train(
      {{"judge", {{"view", "unifireward"}}}, {"base", {{"path", "a/b"}, {"weights_mark", weights_fingerprint(base)}}}});
  EXPECT_EQ(refusal("unifireward", {{"model", trained.string()}}), "nothing");
  std::ofstream(base / "model.safetensors") << "Weights";
  EXPECT_NE(refusal("unifireward", {{"model", trained.string()}})
                .find("other settings: base: \"a/b\" in training, other weights in \"" + base.string() + "\" here"),
            std::string::npos);
}

TEST_F(JudgedRewards, TakeAJudgeWhoseFormIsUnknown) {
  train({{"another", "form"}});
  EXPECT_EQ(refusal("unifireward", {{"model", trained.string()}}), "nothing");
}

TEST_F(JudgedRewards, KeepTheContract) {
  for (const char* name : {"unifireward", "prm", "orm"}) {
    const auto found = built::finder().get("rewards", name);
    auto reward =
        built::open<Reward>(name, {{"model", "a/judge"}},
                            std::make_unique<plugin::RunHost>(
                                plugin::PluginFile{found.kind, found.name, found.path, found.sha256}, services));
    built::keeps_contract(reward);
  }
}

}  // namespace
}  // namespace compeer::judging
