#include "train/batch/step_batch.h"

#include <gtest/gtest.h>

#include "../small_run.h"
#include "train/batch/records.h"

namespace compeer::train {
namespace {

class RollOut : public testing::Test {
 protected:
  Groups groups(int64_t first, int64_t count, RngKey key, const std::vector<std::string>& stop = {}) {
    auto& run = small.run;
    auto all = records.read(first, count, [](int64_t i) { return i; });
    auto sampling = spec::read_table<rollout::Sampling>(run.spec.json().at("sampling"));
    sampling.stop = stop;
    complete.clear();
    roll_out(*run.plugins, all, sampling, 3, key, [&](const PromptGroup& group) {
      complete.push_back(group.index);
      EXPECT_EQ(&group, &all[static_cast<size_t>(group.index - first)]);
      EXPECT_EQ(group.completions.size(), 3u);
    });
    return all;
  }
  std::vector<int64_t> complete;  // groups, in the order in which they were
  SmallRun small{five_dialogues()};
  Records records = Records::some(small.world, *small.run.plugins, small.run.spec.table("dataset"),
                                  {"train", Records::Then::completion, 8}, 5);
};

TEST_F(RollOut, GivesEachPromptItsCompletions) {
  const auto all = groups(0, 2, {1, 1});
  ASSERT_EQ(all.size(), 2u);
  for (const auto& group : all) {
    ASSERT_EQ(group.samples.size(), 3u);
    ASSERT_EQ(group.completions.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      const auto& sample = group.samples[i];
      EXPECT_LE(sample.tokens.size(), 8u);
      EXPECT_EQ(sample.log_probs.size(), sample.tokens.size());
      EXPECT_EQ(sample.entropies.size(), sample.tokens.size());
      EXPECT_EQ(group.completions[i].tokens, static_cast<int64_t>(sample.tokens.size()));
      EXPECT_EQ(group.completions[i].finished, sample.finished);
      EXPECT_EQ(group.completions[i].token_ids, sample.tokens);
      EXPECT_EQ(group.completions[i].log_probs, sample.log_probs);
      EXPECT_EQ(group.completions[i].least_log_prob, *std::ranges::min_element(sample.log_probs));
      EXPECT_EQ(group.completions[i].text, small.run.plugins->tokenizer().decode(sample.tokens));
    }
  }
}

// So that it doesn't matter which rank has the group.
TEST_F(RollOut, DrawsTheSameTokensForAGroupWhateverOthersThereAre) {
  const auto all = groups(0, 3, {1, 1}), alone = groups(2, 1, {1, 1});
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(alone[0].samples[i].tokens, all[2].samples[i].tokens);
}

TEST_F(RollOut, DrawsOtherTokensWithAnotherKey) {
  const auto tokens = [&](RngKey key) { return groups(0, 1, key)[0].samples[0].tokens; };
  EXPECT_EQ(tokens({1, 1, 0}), tokens({1, 1, 0}));
  EXPECT_NE(tokens({1, 1, 0}), tokens({2, 1, 0}));
  EXPECT_NE(tokens({1, 1, 0}), tokens({1, 2, 0}));
  EXPECT_NE(tokens({1, 1, 0}), tokens({1, 1, 8}));
}

TEST_F(RollOut, TellsOfEachGroupOnceWhenItIsComplete) {
  groups(1, 3, {1, 1});
  std::ranges::sort(complete);
  EXPECT_EQ(complete, (std::vector<int64_t>{1, 2, 3}));
}

TEST_F(RollOut, RefusesAnEmptyStopString) {
  EXPECT_EQ(complaint([&] {
              groups(0, 1, {1, 1}, {""});
            }),
            "sampling.stop: contains an empty string, which would stop every completion immediately\n  help: "
            "remove it");
}

TEST(RoomForCompletions, IsAtMostHalfOfTheModels) {
  rollout::Sampling sampling;
  sampling.max_new_tokens = 24;
  EXPECT_EQ(room_for_completions(sampling, 80), 24);
  EXPECT_EQ(room_for_completions(sampling, 30), 15);
}

}  // namespace
}  // namespace compeer::train
