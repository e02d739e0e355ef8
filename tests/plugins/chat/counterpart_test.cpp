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

/// An angry seeker with a problem with the boss, in the first stage, with the style "steadiness". Good strategies:
/// reflection, question, restatement.
Seeker seeker() {
  Seeker seeker;
  seeker.subject = 0;
  seeker.stage = Stage::exploration;
  seeker.emotion = Emotion::anger;
  seeker.style = Style::steadiness;
  return seeker;
}

std::vector<Round> rounds(const std::vector<std::string>& replies) {
  std::vector<Round> all;
  EarlierReplies said;
  for (const auto& reply : replies) {
    Round round{{"en", seeker(), said, {}}, "", {read(reply, english()), {}, 0}};
    if (round.heard.reply) {
      for (const Sentence& sentence : round.heard.reply->sentences) round.heard.keys.push_back(key(sentence));
      round.heard.felt = felt(*round.heard.reply, seeker(), said, {});
    }
    said.push_back(round.heard.keys);
    all.push_back(round);
  }
  return all;
}

const std::string best = "i hear your anger. what happened with your boss? there is no rush.";
const std::string other = "that sounds unfair. so your boss has been on your mind a lot. we can go slowly.";
const std::string worst =
    "i hear your hope. you could write down your thoughts about your dog. the data shows progress.";
const std::string unknown = "potato.";

TEST(Ratings, OfTheBestAreFour) {
  for (const auto dimension : dimensions) {
    EXPECT_DOUBLE_EQ(rating(dimension, rounds({best})), 1) << dimension;
    EXPECT_NEAR(rating(dimension, rounds({best, other})), 1, 1e-12) << dimension;
  }
}

TEST(Ratings, OfWhatTheGrammarDoesNotKnowAreZero) {
  for (const auto dimension : dimensions) {
    EXPECT_EQ(rating(dimension, rounds({unknown, unknown})), 0) << dimension;
    EXPECT_EQ(rating(dimension, rounds({unknown})), 0) << dimension;
    EXPECT_EQ(rating(dimension, {}), 0) << dimension;
  }
}

TEST(Ratings, OfTheWorst) {
  const auto all = rounds({worst});
  EXPECT_EQ(rating("fluency", all), 1);
  EXPECT_EQ(rating("empathic", all), 0) << "another emotion";
  EXPECT_EQ(rating("suggestion", all), 0.5) << "an act, about another subject";
  EXPECT_EQ(rating("human", all), 0) << "artificial";
  EXPECT_EQ(rating("tech", all), 0) << "early advice";
  EXPECT_EQ(rating("overall", all), 0);
}

TEST(Ratings, AreMeansOverReplies) {
  const auto all = rounds({best, "i am here for you. you are not alone.", "what happened with this?", unknown});
  EXPECT_DOUBLE_EQ(rating("fluency", all), 3.0 / 4);
  EXPECT_DOUBLE_EQ(rating("empathic", all), (1 + 0.5 + 0.25) / 4);
  EXPECT_DOUBLE_EQ(rating("suggestion", all), (1 + 0 + 0.625) / 4);
  EXPECT_DOUBLE_EQ(rating("human", all), (1 + 0.5 + 0.5) / 4);
  EXPECT_DOUBLE_EQ(rating("tech", all), (1.0 + 0 + 1) / 4);
  // The question has the same words as in the first reply: one repeat, so 0.7 of 0.5.
  EXPECT_NEAR(rating("overall", all), (1 + 0.67 + 0.35) / 4, 1e-12);
  // Comfort: two new sentences and a new strategy. The question: neither is new.
  EXPECT_DOUBLE_EQ(rating("diversity", all), (1.0 + 0 + 0) / 3);
}

TEST(Ratings, OfVarietyCountSentencesAndStrategiesApart) {
  EXPECT_EQ(rating("diversity", rounds({best, best})), 0);
  EXPECT_DOUBLE_EQ(rating("diversity", rounds({best, "what happened with your dog? we can go slowly."})), 0.25)
      << "one of two sentences is new, the subject apart";
  EXPECT_DOUBLE_EQ(rating("diversity", rounds({best, "how long has this been like this?"})), 0.5)
      << "other words, the same strategy";
}

TEST(Ratings, AreSaidAsTheNearestOfFive) {
  EXPECT_EQ(score_of(0), 0);
  EXPECT_EQ(score_of(0.12), 0);
  EXPECT_EQ(score_of(0.125), 1);
  EXPECT_EQ(score_of(0.5), 2);
  EXPECT_EQ(score_of(0.874), 3);
  EXPECT_EQ(score_of(1), 4);
}

TEST(Ratings, KnowSevenDimensions) { EXPECT_THROW(rating("fluecy", {}), std::invalid_argument); }

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

/// A dialogue with a supporter that the test plays.
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

  WorldSettings world_ = default_world();
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
              "case esc_world/test/000004 is a different dialogue in this world: set 'world' to the settings of the "
              "dataset");
  }
}

TEST_F(Evaluated, NeedsAReplyToJudge) {
  shown_ = "Seeker: " + one_.first_talk;
  try {
    asked("esc_eval_tech");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "case esc_world/test/000004: the dialogue has no answer to the seeker");
  }
}

TEST(Support, KnowsWhomItSupportsByWhatTheySaid) {
  const WorldSettings world = default_world();
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
  const WorldSettings world = default_world();
  const Profile expert;
  const Support support(world, expert, "test", 2);
  EXPECT_FALSE(support.answer({{"user", "Hello?"}}, 0));
  EXPECT_FALSE(support.answer({}, 0));
  const auto first = scenario(world, "test", 1).first_talk;
  EXPECT_TRUE(support.answer({{"user", first}}, 0));
  EXPECT_FALSE(support.answer({{"user", first}, {"assistant", "so?"}, {"user", "Hello?"}}, 0));
  EXPECT_FALSE(support.answer({{"user", scenario(world, "test", 2).first_talk}}, 0)) << "it knows two dialogues";
}

// A round of the world answered by an expert: all steps are right, and the reply is good.
class Contradiction : public testing::Test {
 protected:
  Contradiction() {
    world_.habit_share = 0;
    said_ = sample(world_, "test", 3);
    right_ = *empathy::parse(said_.answer).value;
    wrong_ = right_;
    wrong_.emotion = "hungry, very much";
    worse_ = "potato.";
  }

  // Returns the player's verdict on a judgement, asked with the stage's own prompt.
  std::string asked(const empathy::Structured& steps, const std::string& reply, const std::string& judged) const {
    const auto prompt = empathy::PromptTemplate::read(
        std::filesystem::path(COMPEER_SOURCE_DIR) / "plugins/chat/esc_world/prompts/en/consistency.txt",
        {"id", "history", "step_history", "step_emotion", "step_strategy", "first", "second", "judged", "answers"});
    std::string history;
    for (const WorldTurn& line : said_.history) history += empathy::format_turn(line.role, line.text, false) + "\n";
    const auto read = read_prompt(prompt.fill({{"id", said_.id},
                                               {"history", history},
                                               {"step_history", steps.history},
                                               {"step_emotion", steps.emotion},
                                               {"step_strategy", steps.strategy},
                                               {"first", right_.reply},
                                               {"second", reply},
                                               {"judged", judged},
                                               {"answers", "yes or no"}}));
    EXPECT_TRUE(read && read->task == Task::consistency);
    return Player(world_, {}).answer(*read, 0, [](uint32_t) { return 0.0; });
  }

  WorldSettings world_ = default_world();
  WorldSample said_;
  empathy::Structured right_, wrong_;
  std::string worse_;
};

TEST_F(Contradiction, IsToSetStepsAndReplyApartThatAreBothGoodOrBothBad) {
  EXPECT_EQ(asked(right_, right_.reply, "True, True, True; first"), "yes");
  EXPECT_EQ(asked(right_, right_.reply, "True, True, True; neither"), "yes");
  EXPECT_EQ(asked(right_, right_.reply, "True, False, True; both good"), "yes");
  EXPECT_EQ(asked(wrong_, worse_, "True, True, True; first"), "yes");
  EXPECT_EQ(asked(wrong_, worse_, "False, True, True; second"), "yes");
}

TEST_F(Contradiction, IsNotToSetThemApartWhereTheTruthDoes) {
  EXPECT_EQ(asked(right_, worse_, "True, True, True; first"), "no");
  EXPECT_EQ(asked(wrong_, right_.reply, "True, False, True; second"), "no");
  EXPECT_EQ(asked(wrong_, right_.reply, "True, True, True; first"), "no")
      << "wrong on both sides, and apart as they are";
}

TEST_F(Contradiction, IsNoJudgementWhoseSidesAgree) {
  for (const auto& steps : {right_, wrong_}) {
    for (const auto& reply : {right_.reply, worse_}) {
      EXPECT_EQ(asked(steps, reply, "True, True, True; both good"), "no");
      EXPECT_EQ(asked(steps, reply, "False, False, False; first"), "no");
    }
  }
}

TEST_F(Contradiction, SaysThatAJudgementCanNotBeRead) {
  try {
    asked(right_, right_.reply, "True, True, True");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "case " + said_.id + ": 'Judged:' can't be read: no answer");
  }
}

}  // namespace
}  // namespace compeer::esc_world
