#include "train/batch/records.h"

#include <gtest/gtest.h>

#include "../small_run.h"

namespace compeer::train {
namespace {

class PromptsOfARun : public testing::Test {
 protected:
  RecordPrompts& with(const SmallRun::Sets& sets = {}) {
    small.emplace(five_dialogues(), sets);
    made.emplace(*small->run.plugins, small->run.spec.table("dataset"));
    return *made;
  }
  // Turns of five words each, by turns of user and assistant.
  static Example dialogue(size_t turns) {
    Example example;
    example.id = "a";
    for (size_t i = 0; i < turns; ++i)
      example.history.push_back({i % 2 == 0 ? "user" : "assistant", std::to_string(i) + " i feel sad today"});
    return example;
  }
  static std::vector<std::string> texts(const RecordPrompt& prompt) {
    std::vector<std::string> all;
    for (const Turn& turn : prompt.turns) all.push_back(turn.text);
    return all;
  }
  std::optional<SmallRun> small;
  std::optional<RecordPrompts> made;
};

TEST_F(PromptsOfARun, ShowAllTurnsWhereThereIsRoom) {
  const auto prompt = with().of(dialogue(3), 8);
  EXPECT_EQ(prompt.turns.size(), 3u);
  EXPECT_FALSE(prompt.trimmed);
  EXPECT_TRUE(prompt.fits);
  EXPECT_EQ(prompt.tokens, made->whole(dialogue(3)).tokens);
}

// What is left begins with a user's turn: not with an answer to something that isn't shown.
TEST_F(PromptsOfARun, LoseTheirOldestTurnsWhereTheyAreTooLong) {
  auto& prompts = with();
  const auto three = static_cast<int64_t>(prompts.whole(dialogue(3)).tokens.size());
  const auto seven = prompts.of(dialogue(7), 80 - three);
  EXPECT_TRUE(seven.trimmed);
  EXPECT_TRUE(seven.fits);
  EXPECT_EQ(texts(seven), (std::vector<std::string>{"4 i feel sad today", "5 i feel sad today", "6 i feel sad today"}));
  const auto less = prompts.of(dialogue(7), 80 - three + 1);
  EXPECT_EQ(texts(less), std::vector<std::string>{"6 i feel sad today"});
}

TEST_F(PromptsOfARun, DoNotFitIfTheLastTurnAloneIsTooLong) {
  const auto prompt = with().of(dialogue(3), 79);
  EXPECT_FALSE(prompt.fits);
  EXPECT_EQ(prompt.turns.size(), 3u);
}

TEST_F(PromptsOfARun, AreNotTrimmedUnlessTheSpecSaysSo) {
  auto& prompts = with({{"dataset.long_prompts", "skip"}, {"dataset.max_prompt_tokens", 20}});
  EXPECT_FALSE(prompts.of(dialogue(3), 8).fits);
  EXPECT_TRUE(prompts.is_limited());
  EXPECT_EQ(prompts.limit(8), 20);
  EXPECT_EQ(prompts.limit(70), 10);  // the model has room for 80
}

TEST_F(PromptsOfARun, HaveTheSystemTurnOfTheSpecInPlaceOfTheirOwn) {
  auto& prompts = with({{"dataset.system", "answer briefly"}});
  auto example = dialogue(1);
  example.history.insert(example.history.begin(), {"system", "be kind"});
  EXPECT_EQ(texts(prompts.whole(example)), (std::vector<std::string>{"answer briefly", "0 i feel sad today"}));
  EXPECT_EQ(texts(with().whole(example)), (std::vector<std::string>{"be kind", "0 i feel sad today"}));
}

}  // namespace
}  // namespace compeer::train
