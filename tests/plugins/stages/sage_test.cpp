#include "asked.h"
#include "base/error.h"

namespace compeer::asked {
namespace {

constexpr const char* planning_question = "how does the seeker's emotion change";

json profile(const std::string& id) {
  return {{"id", id},
          {"player", "A baker."},
          {"scene", "The oven broke."},
          {"task", "to be heard"},
          {"main_cha", "quiet"},
          {"first_talk", "My oven broke, " + id + "."}};
}

// A simulator that answers the planning and the reply prompt.
Answer seeker(const std::string& change, const std::string& words = "Well.") {
  return [=](const std::string& prompt, uint32_t) {
    const bool planning =
        prompt.find(planning_question) != std::string::npos || prompt.find("情绪会如何变化") != prompt.npos;
    return says(planning ? "Content: They ask.\nAnalyse: good\nChange: " + change : "Thinking: hm\nResponse: " + words);
  };
}

class Sage : public testing::Test {
 protected:
  std::vector<Outcome> make(const std::vector<json>& records, const json& settings = json::object()) {
    open(settings);
    return plugin::make(*stage_, records);
  }
  json findings(const std::vector<Outcome>& outcomes) {
    std::map<std::string, double> counts;
    for (const auto& outcome : outcomes) {
      for (const auto& [name, value] : outcome.counts) counts[name] += value;
    }
    return stage_->call("findings", [&](Stage& s) { return s.findings(counts); });
  }
  void open(json settings) {
    if (!settings.contains("simulator")) settings["simulator"] = named("seeker");
    if (!settings.contains("supporter")) settings["supporter"] = named("helper");
    stage_.emplace(built::open<Stage>(
        "sage", settings,
        std::make_unique<World>(std::map<std::string, Model*>{{"seeker", &simulator}, {"helper", &supporter}})));
  }

  Model simulator{seeker("+10")};
  Model supporter{[](const std::string&, uint32_t) { return says("Why?"); }};

 private:
  std::optional<plugin::Plugin<Stage>> stage_;
};

TEST_F(Sage, PlaysUntilTheSeekerIsContent) {
  const auto outcomes = make({profile("a")});
  const json& record = outcomes[0].records.at(0);
  EXPECT_EQ(record.at("emo_point"), 100);  // 40 plus six times 10
  EXPECT_EQ(record.at("emo_state"), "Emotion-S");
  EXPECT_EQ(record.at("character"), "quiet");
  ASSERT_EQ(record.at("history").size(), 13u);
  EXPECT_EQ(record.at("history")[0], (json{{"role", "user"}, {"content", "My oven broke, a."}, {"emotion-point", 40}}));
  EXPECT_EQ(record.at("history")[1], (json{{"role", "assistant"}, {"content", "Why?"}}));
  EXPECT_EQ(record.at("history")[2], (json{{"role", "user"},
                                           {"content", "Well."},
                                           {"thinking", "hm"},
                                           {"emotion-point", 50},
                                           {"planning",
                                            {{"content", "They ask."},
                                             {"TargetCompletion", ""},
                                             {"activity", ""},
                                             {"analyse", "good"},
                                             {"change", 10}}}}));
  EXPECT_EQ(record.at("turns").size(), 13u);
  EXPECT_EQ(record.at("turns")[1], (json{{"role", "assistant"}, {"text", "Why?"}}));
  const json found = findings(outcomes);
  EXPECT_EQ(found.at("mean_emotion").at("value"), 100);
  EXPECT_EQ(found.at("success").at("count"), 1);
  EXPECT_EQ(found.at("rounds").at("value"), 7);
  EXPECT_EQ(found.at("kinds").at("quiet").at("n"), 1);
  EXPECT_EQ(found.at("supporter"), "model");
}

TEST_F(Sage, ShowsTheSimulatorWhoSpeaksAndHowTheyFeel) {
  make({profile("a")}, {{"rounds", 3}});
  ASSERT_EQ(simulator.prompts.size(), 4u);
  const auto shows = [&](size_t prompt, const std::string& words) {
    EXPECT_NE(simulator.prompts[prompt].find(words), std::string::npos) << words << " in\n"
                                                                        << simulator.prompts[prompt];
  };
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(simulator.prompts[i].starts_with("You are an actor"));
    for (const char* words :
         {"A baker.", "The oven broke.", "to be heard", "Seeker: My oven broke, a.\nSupporter: Why?"})
      shows(i, words);
  }
  shows(0, planning_question);
  shows(0, "It stands at 40 now, which is called Emotion-B");
  shows(1, "what does the seeker say next");
  shows(1, "It stands at 50 now");
  shows(1, "Analyse: good\nChange: 10\n");
  shows(3, "Seeker: Well.\nSupporter: Why?");
  shows(3, "It stands at 60 now");
}

TEST_F(Sage, EndsAtTheLimitWithTheSupportersReply) {
  simulator = Model(seeker("0"));
  const auto outcomes = make({profile("a"), profile("b")}, {{"rounds", 3}});
  EXPECT_EQ(outcomes[1].records.at(0).at("history").size(), 6u);
  EXPECT_EQ(outcomes[1].records.at(0).at("emo_point"), 40);
  EXPECT_EQ(outcomes[1].counts.at("ended by limit"), 1);
  EXPECT_EQ(supporter.batches, 3u) << "two dialogues side by side";
  EXPECT_EQ(simulator.batches, 4u);
  EXPECT_EQ(simulator.prompts.size(), 8u);
}

TEST_F(Sage, EndsWithFailureOrAGoodbye) {
  simulator = Model(seeker("-15"));
  EXPECT_EQ(make({profile("a")})[0].records.at(0).at("emo_point"), 0);  // 40 30 20 10 0; 10 is no failure
  simulator = Model(seeker("-1", "Fine, goodbye then."));
  const auto outcomes = make({profile("a")}, {{"goodbyes", {"goodbye"}}});
  EXPECT_EQ(outcomes[0].counts.at("ended by goodbye"), 1);
  EXPECT_EQ(outcomes[0].records.at(0).at("history").size(), 3u);
  EXPECT_NE(simulator.prompts[1].find("says\ngoodbye."), std::string::npos);
}

TEST_F(Sage, HearsTheReplyAndNotTheSteps) {
  supporter = Model([](const std::string&, uint32_t) {
    return says("<history>h</history><emotion>e</emotion><strategy>s</strategy>\nTell me.");
  });
  const auto outcomes = make({profile("a")}, {{"rounds", 2}});
  EXPECT_NE(simulator.prompts[0].find("Supporter: Tell me.\n"), std::string::npos);
  EXPECT_EQ(simulator.prompts[0].find("<history>"), std::string::npos);
  EXPECT_EQ(outcomes[0].records.at(0).at("turns")[1].at("steps"),
            (json{{"history", "h"}, {"emotion", "e"}, {"strategy", "s"}}));
  EXPECT_EQ(outcomes[0].records.at(0).at("history")[1].at("content"), "Tell me.");
}

TEST_F(Sage, AsksAgainWhatItCanNotRead) {
  simulator = Model(
      [](const std::string& prompt, uint32_t draw) { return draw == 0 ? says("Hm.") : seeker("5")(prompt, draw); });
  const auto outcomes = make({profile("a")}, {{"rounds", 2}});
  EXPECT_EQ(outcomes[0].records.at(0).at("emo_point"), 45);
  EXPECT_EQ(outcomes[0].counts.at("answers that could not be read"), 2);
}

TEST_F(Sage, CountsADialogueThatCanNotBePlayedApart) {
  simulator = Model([](const std::string& prompt, uint32_t draw) {
    return prompt.find("oven broke, a") != prompt.npos ? says("Hm.") : seeker("5")(prompt, draw);
  });
  const auto outcomes = make({profile("a"), profile("b")}, {{"rounds", 2}, {"tries", 2}});
  EXPECT_EQ(outcomes[0].dropped, "planning: malformed answer");
  const json found = findings(outcomes);
  EXPECT_EQ(found.at("n"), 1);
  EXPECT_EQ(found.at("invalid"), 1);
  EXPECT_EQ(found.at("reasons"), (json{{"planning: malformed answer", 1}}));
  EXPECT_EQ(found.at("mean_emotion").at("value"), 45);

  simulator = Model(seeker("5", "[]"));
  EXPECT_EQ(make({profile("a")})[0].dropped, "reply: malformed answer");
  simulator = Model([](const std::string&, uint32_t) { return fails(); });
  EXPECT_EQ(make({profile("a")})[0].dropped, "planning: no answer");
  supporter = Model([](const std::string&, uint32_t) { return fails(); });
  EXPECT_EQ(make({profile("a")})[0].dropped, "supporter: no answer");
}

TEST_F(Sage, LetsTheSeekerHearSilenceWhereThereIsNoReply) {
  supporter = Model([](const std::string&, uint32_t) { return says(" "); });
  simulator = Model(seeker("-10"));
  const auto outcomes = make({profile("a")});
  EXPECT_EQ(outcomes[0].records.at(0).at("emo_point"), 0);
  EXPECT_NE(simulator.prompts[0].find("Supporter: ...\n"), std::string::npos);
  EXPECT_EQ(outcomes[0].counts.at("answers without a reply"), 4);
}

TEST_F(Sage, NamesFieldsThatAProfileLacks) {
  auto a = profile("a"), b = profile("b");
  a.erase("task");
  b["first_talk"] = " ";
  const auto outcomes = make({a, b});
  EXPECT_EQ(outcomes[0].dropped, "no 'task'");
  EXPECT_EQ(outcomes[1].dropped, "no 'first_talk'");
  EXPECT_EQ(findings(outcomes).at("invalid"), 2);
  EXPECT_TRUE(findings(outcomes).at("mean_emotion").at("value").is_null());
}

TEST_F(Sage, ScoresWhatItMadeAgainWithoutAnyModel) {
  const auto played = make({profile("a")});
  const json before = findings(played);
  const auto outcomes = make(played[0].records, {{"simulator", nullptr}, {"supporter", nullptr}});
  EXPECT_TRUE(outcomes[0].unchanged);
  json after = findings(outcomes);
  after["supporter"] = "model";
  EXPECT_EQ(after, before);
}

TEST_F(Sage, DemandsModelsOnlyToPlay) {
  const auto refused = [&](const json& settings) {
    try {
      make({profile("a")}, settings);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      return error.problem();
    }
    return std::string();
  };
  EXPECT_EQ(refused({{"simulator", nullptr}}), "record 'a' is to be played, but the setting 'simulator' is unset");
  EXPECT_EQ(refused({{"supporter", nullptr}}), "a dialogue is to be answered, but the setting 'supporter' is unset");
}

TEST_F(Sage, GivesTheSupporterThePublishedSystemTurn) {
  auto chinese = profile("a");
  chinese["first_talk"] = "烤箱坏了。";
  make({chinese}, {{"rounds", 1}});
  EXPECT_EQ(
      supporter.all_turns,
      (std::vector<std::string>{
          "你是一个智能聊天伙伴，你擅长高情商地和用户聊天，让用户感到舒适、愉快或得到需要的帮助。", "烤箱坏了。"}));
  supporter.all_turns.clear();
  make({profile("a")}, {{"rounds", 1}});
  EXPECT_TRUE(supporter.all_turns.at(0).starts_with("You are an intelligent chat companion.")) << "in its language";
  supporter.all_turns.clear();
  make({profile("a")}, {{"rounds", 1}, {"supporter_system", false}});
  EXPECT_EQ(supporter.all_turns, (std::vector<std::string>{"My oven broke, a."}));
}

TEST_F(Sage, SpeaksTheLanguageOfTheProfile) {
  auto chinese = profile("a");
  chinese["first_talk"] = "烤箱坏了。";
  make({chinese}, {{"rounds", 2}});
  EXPECT_NE(simulator.prompts[0].find("求助者：烤箱坏了。\n支持者：Why?"), std::string::npos) << simulator.prompts[0];
  EXPECT_NE(simulator.prompts[1].find("再见或拜拜"), std::string::npos);
}

}  // namespace
}  // namespace compeer::asked
