#include "train/batch/score_table.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace compeer::train {
namespace {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ScoreTable, GivesColumnsByName) {
  ScoreTable scores(2);
  scores.add("reward", {1, 2});
  scores.add("rewards/format/reward", {0.5, 3});
  EXPECT_EQ(scores["rewards/format/reward"], (std::vector<double>{0.5, 3}));
  EXPECT_EQ(scores["reward"][1], 2);
  EXPECT_EQ(scores.completions(), 2u);
}

TEST(ScoreTable, NamesWhatIsWrong) {
  ScoreTable scores(2);
  scores.add("reward", {1, 2});
  scores.add("reweighted", {1, 2});
  EXPECT_EQ(error_of([&] { scores.add("reward", {1, 2}); }), "column 'reward' is there already");
  EXPECT_EQ(error_of([&] { scores.add("kl", {1}); }), "column 'kl' has 1 scores for 2 completions");
  EXPECT_EQ(error_of([&] { scores["reword"]; }), "no column 'reword' among the scores: reward, reweighted");
}

}  // namespace
}  // namespace compeer::train
