#include "chat/esc_world/player.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "datasets/esc_world/world/dialogue.h"
#include "empathy/format.h"
#include "empathy/prompt.h"
#include "places.h"

namespace compeer::esc_world {
namespace {

// A round of the world that an expert answers: right in every step, with a good reply.
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

  // What the player says of a judgement, which is asked in the words of the stage's own prompt.
  std::string asked(const empathy::Structured& steps, const std::string& reply, const std::string& judged) const {
    const auto prompt = empathy::PromptTemplate::read(
        std::filesystem::path(COMPEER_SOURCE_DIR) / "plugins/chat/esc_world/prompts/en/consistency.txt",
        {"id", "history", "step_history", "step_emotion", "step_strategy", "first", "second", "judged", "answers"});
    std::string history;
    for (const WorldTurn& line : said_.history) history += empathy::said(line.role, line.text, false) + "\n";
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

  WorldSettings world_ = usual();
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
