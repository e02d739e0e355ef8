#include "datasets/esc_world/world/play.h"

#include <gtest/gtest.h>

#include "datasets/esc_world/world/dialogue.h"

namespace compeer::esc_world {
namespace {

const std::vector<std::string> comfort = {"i am here for you. you are not alone.", "potato.",
                                          "i am here for you. you are not alone."};

TEST(Play, BeginsAsTheWorldsOwnDialogues) {
  const WorldSettings world = usual();
  for (uint32_t i = 0; i < 100; ++i) {
    const WorldDialogue own = dialogue(world, "test", i);
    const auto rounds = played(world, "test", i, {own.turns[1].text});
    EXPECT_EQ(rounds.at(0).utterance, own.turns[0].text);
    EXPECT_EQ(to_json(rounds.at(0).truth), to_json(own.truths[0]));
  }
}

TEST(Play, IsAPureFunctionOfWhatWasSaidSoFar) {
  const WorldSettings world = usual();
  for (uint32_t i = 0; i < 50; ++i) {
    const auto all = played(world, "valid", i, comfort);
    ASSERT_EQ(all.size(), 4u);
    const auto begun = played(world, "valid", i, {comfort[0]});
    ASSERT_EQ(begun.size(), 2u);
    EXPECT_EQ(begun[1].utterance, all[1].utterance);
    EXPECT_EQ(begun[1].truth.seeker, all[1].truth.seeker);
  }
}

TEST(Play, HearsWithHabituationAndNothingInWhatItDoesNotKnow) {
  WorldSettings world = usual();
  world.feelings.safe_quality = 0.8;
  bool wanted_more = false, content = false;
  for (uint32_t i = 0; i < 50; ++i) {
    const auto rounds = played(world, "test", i, comfort);
    const auto& seeker = rounds[2].truth.seeker;
    const double part = seeker.stage == Stage::action && seeker.style == Style::dominance ? 0.5 : 1.0;
    // Safe once more, and two sentences said before: 3/2 repeats, each of which leaves 0.7.
    EXPECT_NEAR(rounds[2].heard.felt, 0.8 * part * 0.585662018573853, 1e-12);
    EXPECT_EQ(rounds[1].heard.felt, 0);
    EXPECT_FALSE(rounds[1].heard.reply);
    EXPECT_TRUE(rounds[1].heard.keys.empty());
    EXPECT_EQ(rounds[2].truth.said, (EarlierReplies{{"safe/0", "safe/1"}, {}}));
    EXPECT_EQ(rounds[3].truth.said.size(), 3u);
    (part == 1 ? content : wanted_more) = true;
  }
  EXPECT_TRUE(wanted_more && content);
}

TEST(Play, EasesTheFeelingAfterGoodRepliesOnly) {
  const WorldSettings world = usual();
  double worse = 0, better = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    const auto poor = played(world, "test", i, std::vector<std::string>(5, "potato."));
    for (size_t r = 1; r < poor.size(); ++r)
      EXPECT_GE(poor[r].truth.seeker.intensity, poor[r - 1].truth.seeker.intensity);
    worse += poor.back().truth.seeker.intensity - poor.front().truth.seeker.intensity;
    Play play(world, "test", i);
    for (int round = 0; round < 5; ++round) {
      const WrittenCompletion good = write({}, play.truth().seeker, play.truth().said, play.truth().feelings,
                                           play.words(), play.place(), Purpose::supporter);
      const Heard heard = play.hear(good.spoken);
      EXPECT_GT(heard.felt, 0.45) << good.spoken << ": at worst, one strategy was there before, and no tail";
      play.go_on(heard.keys, heard.felt);
    }
    better += played(world, "test", i, {}).front().truth.seeker.intensity - play.truth().seeker.intensity;
  }
  EXPECT_GT(worse, 100) << "of 200";
  EXPECT_GT(better, 100);
}

TEST(Play, KnowsThreeSplits) { EXPECT_THROW(Play(usual(), "dev", 0), std::invalid_argument); }

TEST(Scenario, SaysWhatTheFirstMomentIs) {
  const Scenario one = scenario(usual(), "train", 0);
  EXPECT_EQ(one.id, "esc_world/train/000000");
  EXPECT_EQ(one.first_talk,
            "listen, my team takes all my strength at work. i feel quite unwanted. let me tell you more.");
  EXPECT_EQ(one.problem, "work");
  EXPECT_EQ(one.style, "dominance");
  EXPECT_EQ(one.player, "direct and in a hurry, begins with \"to be direct,\"");
  EXPECT_EQ(one.scene, "my team has been hard on me at work. i feel quite ashamed.") << "plainer than what is said";
  EXPECT_EQ(one.card,
            "Problem: work: my team has been hard on me at work.\n"
            "Manner: direct and in a hurry, begins with \"to be direct,\"\n"
            "Feeling: i feel quite ashamed.\n"
            "Now: i do not know where to start.");
}

TEST(Scenario, LeavesNoSlotOpen) {
  for (uint32_t i = 0; i < 200; ++i) {
    const Scenario one = scenario(usual(), "test", i);
    for (const auto& text : {one.card, one.player, one.scene, one.task, one.first_talk}) {
      EXPECT_FALSE(text.empty());
      EXPECT_EQ(text.find('{'), std::string::npos) << text;
    }
    EXPECT_EQ(one.first_talk, dialogue(usual(), "test", i).turns[0].text);
  }
}

}  // namespace
}  // namespace compeer::esc_world
