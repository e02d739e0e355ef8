#include "grpo/objective.h"

#include "cases.h"

namespace compeer::grpo {
namespace {

// Ten entropies .1 to 1.0: the best fifth lies above .82, the best half above .55.
TEST(HighEntropy, KeepsAShareOfAllTokens) {
  std::vector<double> entropies;
  for (int i = 1; i <= 10; ++i) entropies.push_back(0.1 * i);
  auto c = completion(entropies, entropies, {0});
  c.entropy = at::tensor(entropies, at::kDouble).unsqueeze(0);
  const auto kept = [&](double share) {
    return high_entropy(c, entropy_threshold(entropies, share)).sum().item<double>();
  };
  EXPECT_EQ(kept(0.2), 2);
  EXPECT_EQ(kept(0.5), 5);
  EXPECT_EQ(kept(1.0), 10);
  EXPECT_EQ(kept(0.0), 1);
  EXPECT_NEAR(entropy_threshold(entropies, 0.5), 0.55, 1e-12);
}

// What counts is the entropy that a token was drawn with, so updates of one rollout learn from the same tokens.
TEST(HighEntropy, LooksAtTheDraw) {
  auto c = completion({-1, -1}, {-1, -1}, {0});
  c.entropy = at::tensor({0.1, 0.9}, at::kDouble).unsqueeze(0);
  expect_near(high_entropy(c, 0.5), {0, 1}, 0);
  c.sampled_entropy = at::tensor({0.9, 0.1}, at::kDouble).unsqueeze(0);
  expect_near(high_entropy(c, 0.5), {1, 0}, 0);
}

// Moved by 2, .5 and 2 against a threshold of 1: only a bad completion that moved far is dropped.
TEST(NearPolicy, DropsBadCompletionsThatMovedFar) {
  Completions c;
  c.mask = at::tensor({1, 1, 0, 1, 1, 0, 1, 1, 0}, at::kDouble).view({3, 3});
  c.old_log_prob = at::zeros({3, 3}, at::kDouble);
  c.log_prob = at::tensor({-2.0, -2.0, 1e4, -.5, -.5, -1e4, -2.0, -2.0, 1e4}, at::kDouble).view({3, 3});
  c.advantage = at::tensor({1, -1, -1}, at::kDouble).unsqueeze(1);
  expect_near(near_policy(c, 1.0), {1, 1, 0}, 0);
}

// pi_old / pi_sampler = exp(prev - gen) with prev = -1 and gen = -.5, -1.5, -.8.
class CorrectionTest : public testing::Test {
 protected:
  Completions c = three_tokens();
  at::Tensor gen = at::tensor({-.5, -1.5, -.8}, at::kDouble).unsqueeze(0);
};

TEST_F(CorrectionTest, WeighsTokensUpToACap) {
  expect_near(correction(c, gen, {false, false, 0, 100}), {0.6065, 1.6487, 0.8187}, 1e-4);
  expect_near(correction(c, gen, {false, false, 0, 0.8}), {0.6065, 0.8, 0.8}, 1e-4);
  expect_near(correction(c, gen, {false, false, 0.7, 1.0}), {0.7, 1.0, 0.8187}, 1e-4);
}

TEST_F(CorrectionTest, CanDropWhatLiesOutside) {
  const auto far = at::tensor({-.5, -3.5, -.8}, at::kDouble).unsqueeze(0);
  expect_near(correction(c, far, {false, true, 0.5, 5}), {0.6065, 0, 0.8187}, 1e-4);
}

TEST_F(CorrectionTest, OfACompletionIsAProduct) {
  expect_near(correction(c, gen, {true, false, 0, 100}), {std::exp(-0.2)}, 1e-9);
}

}  // namespace
}  // namespace compeer::grpo
