#include "train/run_plugins.h"

#include <gtest/gtest.h>

#include "small_run.h"

namespace compeer::train {
namespace {

TEST(RunPlugins, KnowRewardsByTheirLabels) {
  const nlohmann::json rewards{
      {{"plugin", "length"}, {"target", 4}, {"weight", 0.5}, {"floor", -1.0}, {"ceiling", 2.0}, {"cut_off", 0.25}},
      {{"plugin", "length"}, {"target", 8}, {"label", "longer"}, {"cosine_length", 50}, {"right_above", 0.75}}};
  SmallRun small(five_dialogues(), {{"rewards", rewards}});
  auto& terms = small.run.plugins->rewards();
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[0].label, "length");
  EXPECT_EQ(terms[0].weight, 0.5);
  EXPECT_EQ(terms[0].shaping.floor, -1);
  EXPECT_EQ(terms[0].shaping.ceiling, 2);
  EXPECT_EQ(terms[0].shaping.cut_off, 0.25);
  EXPECT_FALSE(terms[0].shaping.cosine);
  EXPECT_EQ(terms[1].label, "longer");
  EXPECT_EQ(terms[1].weight, 1);
  ASSERT_TRUE(terms[1].shaping.cosine);
  EXPECT_EQ(terms[1].shaping.cosine->most, 50);
  EXPECT_EQ(terms[1].shaping.cosine->right_above, 0.75);
}

TEST(RunPlugins, NameTheFactorsOfTheReweighting) {
  SmallRun none(five_dialogues());
  EXPECT_TRUE(none.run.plugins->factors().empty());
  SmallRun redundancy(five_dialogues(), {{"reweighting", {{"plugin", "redundancy"}}}});
  ASSERT_FALSE(redundancy.run.plugins->factors().empty());
  for (const auto& name : redundancy.run.plugins->factors()) EXPECT_EQ(name.find("redundancy/"), 0u) << name;
}

TEST(RunPlugins, ReadTheRecordsOfASplit) {
  SmallRun small(five_dialogues());
  EXPECT_EQ(small.run.plugins->records("train"), 5);
  EXPECT_EQ(small.run.plugins->record("valid", 0).id, "v");
  EXPECT_EQ(small.run.plugins->positions(), 80);
}

TEST(RunPlugins, NeedATokenizer) {
  EXPECT_EQ(complaint([] {
              SmallRun(five_dialogues(), {{"model.tokenizer", nullptr}});
            }),
            "model: names no tokenizer\n  help: set model.tokenizer to a tokenizer folder");
}

}  // namespace
}  // namespace compeer::train
