#include "chat/esc_world/counterpart.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "chat/esc_world/player.h"
#include "datasets/esc_world/world/dialogue.h"
#include "datasets/esc_world/world/play.h"
#include "empathy/format.h"
#include "empathy/prompt.h"
#include "places.h"

namespace compeer::esc_world {
namespace {

std::string filled(const std::string& prompt, const std::map<std::string, std::string>& values) {
  std::vector<std::string> slots;
  for (const auto& [slot, value] : values) slots.push_back(slot);
  const auto folder = std::filesystem::path(COMPEER_SOURCE_DIR) / "plugins/chat/esc_world/prompts/en";
  return empathy::PromptTemplate::read(folder / (prompt + ".txt"), slots).fill(values);
}

std::string number_behind(const std::string& name, const std::string& text) {
  const size_t at = text.find(name) + name.size();
  return text.substr(at, text.find('\n', at) - at);
}

/// A dialogue that has a supporter of the test's own.
class Evaluated : public testing::Test {
 protected:
  void says(const std::string& reply) {
    replies_.push_back(reply);
    shown_ = "Supporter: Hello, I am here.";
    const auto rounds = played(world_, "test", 4, replies_);
    for (size_t i = 0; i < rounds.size(); ++i) {
      if (i < replies_.size()) shown_ += "\nSeeker: " + rounds[i].utterance + "\nSupporter: " + replies_[i];
    }
    next_ = rounds.back().utterance;
  }

  std::string asked(const std::string& prompt, std::map<std::string, std::string> more = {}, double uniform = 0.9) {
    std::map<std::string, std::string> values = {{"id", one_.id}, {"dialogue", shown_}};
    values.merge(more);
    const auto read = read_prompt(filled(prompt, values));
    EXPECT_TRUE(read) << prompt;
    return read ? Player(world_, profile_).answer(*read, 0, [&](uint32_t) { return uniform; }) : "";
  }

  std::string simulated(const std::string& prompt) {
    std::map<std::string, std::string> values = {
        {"player", one_.player}, {"scene", one_.scene}, {"task", one_.task}, {"emotion", "40"}, {"state", "Emotion-B"}};
    if (prompt == "sage_reply")
      values.merge(std::map<std::string, std::string>{{"planning", "Change: 3"}, {"goodbye", "bye"}});
    return asked(prompt, values);
  }

  WorldSettings world_ = usual();
  Profile profile_;
  Scenario one_ = scenario(world_, "test", 4);
  std::vector<std::string> replies_;
  std::string shown_, next_;
};

TEST_F(Evaluated, TheRolePlayerSaysWhatTheSeekerSays) {
  const std::string system = filled("esc_eval_role", {{"id", one_.id}, {"card", one_.card}});
  const auto role = [&](const std::vector<WorldTurn>& turns) {
    const auto read = read_role(system, turns);
    EXPECT_TRUE(read);
    return read ? Player(world_, profile_).answer(*read, 0, [](uint32_t) { return 0.5; }) : "";
  };
  std::vector<WorldTurn> turns = {{"user", "Hello, I am here."}};
  EXPECT_EQ(role(turns), one_.first_talk);
  for (const char* reply : {"i am here for you.", "potato, and\nmore."}) {
    turns.push_back({"assistant", role(turns)});
    turns.push_back({"user", reply});
    says(reply);
    EXPECT_EQ(role(turns), next_);
  }
  turns[1].text = "i am somebody else.";
  EXPECT_THROW(role(turns), std::runtime_error);
  EXPECT_FALSE(read_role("You are a helpful assistant!", turns));
}

TEST_F(Evaluated, TheSimulatorMovesByWhatIsFelt) {
  says("i am here for you. you are not alone.");  // 0.67: 20 (0.67 - 0.5) = 3.4
  EXPECT_EQ(number_behind("Change: ", simulated("sage_planning")), "3");
  says("potato.");
  EXPECT_EQ(number_behind("Change: ", simulated("sage_planning")), "-10");
  says("i am here for you. you are not alone.");  // 0.67 * 0.7 ^ 1.5 = 0.392: -2.2
  EXPECT_EQ(number_behind("Change: ", simulated("sage_planning")), "-2");
  profile_.emotion_scale = 40;
  EXPECT_EQ(number_behind("Change: ", simulated("sage_planning")), "-4");
  profile_.emotion_rest = 0.25;  // 40 (0.392 - 0.25) = 5.7
  EXPECT_EQ(number_behind("Change: ", simulated("sage_planning")), "6");
  profile_.emotion_rest = 0.5;
  profile_.emotion_scale = 400;
  EXPECT_EQ(number_behind("Change: ", simulated("sage_planning")), "-10");
}

TEST_F(Evaluated, TheSimulatorSaysWhatTheSeekerSays) {
  says("i am here for you.");
  EXPECT_EQ(number_behind("Response: ", simulated("sage_reply")), next_);
}

TEST_F(Evaluated, LinesOfAReplyBelongTogether) {
  says("i am here for you.\n\npotato: more.");
  EXPECT_EQ(number_behind("Change: ", simulated("sage_planning")), "-10")
      << "nobody in this world says the second line";
  EXPECT_EQ(asked("esc_eval_fluency"), "0");
  says("three things:\n\n4: rest.\n3: sleep.");
  says("i am here for you.");
  EXPECT_EQ(asked("esc_eval_fluency"), "1") << "one of three";
  EXPECT_EQ(number_behind("Response: ", simulated("sage_reply")), next_);
}

TEST_F(Evaluated, TheJudgeScoresEachDimensionByItsRule) {
  says("i am here for you. you are not alone.");
  says("you are not alone. i am here for you.");
  auto rounds = played(world_, "test", 4, replies_);
  rounds.pop_back();
  for (const auto dimension : dimensions) {
    EXPECT_EQ(asked("esc_eval_" + std::string(dimension)), std::to_string(score_of(rating(dimension, rounds))))
        << dimension;
  }
  EXPECT_EQ(asked("esc_eval_fluency"), "4");
  EXPECT_EQ(asked("esc_eval_diversity"), "0");
  EXPECT_EQ(asked("esc_eval_empathic"), "2");
}

TEST_F(Evaluated, AJudgesNoiseStaysOnTheScale) {
  says("i am here for you. you are not alone.");
  says("you are not alone. i am here for you.");
  profile_.judge_noise = 1;
  EXPECT_EQ(asked("esc_eval_fluency"), "3");
  EXPECT_EQ(asked("esc_eval_diversity"), "1");
  EXPECT_EQ(asked("esc_eval_empathic", {}, 0.4), "1");
  EXPECT_EQ(asked("esc_eval_empathic", {}, 0.6), "3");
}

TEST_F(Evaluated, SaysThatItIsAnotherWorld) {
  says("i am here for you.");
  world_.seed = 5;
  try {
    asked("esc_eval_tech");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              "case esc_world/test/000004 is another dialogue in this world: the setting 'world' must hold what the "
              "dataset was given");
  }
}

TEST_F(Evaluated, NeedsAReplyToJudge) {
  shown_ = "Seeker: " + one_.first_talk;
  try {
    asked("esc_eval_tech");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "case esc_world/test/000004: nobody has answered the seeker yet");
  }
}

TEST(Support, KnowsWhomItSupportsByWhatTheySaid) {
  const WorldSettings world = usual();
  const Profile expert;
  const Support support(world, expert, "test", 50);
  double felt = 0;
  for (uint32_t index = 0; index < 50; ++index) {
    std::vector<std::string> replies;
    std::vector<WorldTurn> lines;
    for (int round = 0; round < 3; ++round) {
      const auto rounds = played(world, "test", index, replies);
      lines.push_back({"user", rounds.back().utterance});
      const auto completion = support.answer(lines, 0);
      ASSERT_TRUE(completion);
      const Verdict verdict = judge(rounds.back().truth, *completion);
      EXPECT_TRUE(verdict.history && verdict.emotion && verdict.strategy && verdict.format) << *completion;
      replies.push_back(empathy::reply_of(*completion));
      lines.push_back({"assistant", replies.back()});
    }
    for (const Round& round : played(world, "test", index, replies)) felt += round.heard.felt / 150;
  }
  EXPECT_GT(felt, 0.95);
}

TEST(Support, AnswersNobodyElse) {
  const WorldSettings world = usual();
  const Profile expert;
  const Support support(world, expert, "test", 2);
  EXPECT_FALSE(support.answer({{"user", "Hello?"}}, 0));
  EXPECT_FALSE(support.answer({}, 0));
  const auto first = scenario(world, "test", 1).first_talk;
  EXPECT_TRUE(support.answer({{"user", first}}, 0));
  EXPECT_FALSE(support.answer({{"user", first}, {"assistant", "so?"}, {"user", "Hello?"}}, 0));
  EXPECT_FALSE(support.answer({{"user", scenario(world, "test", 2).first_talk}}, 0)) << "it knows two dialogues";
}

}  // namespace
}  // namespace compeer::esc_world
