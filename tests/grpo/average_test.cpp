#include "grpo/objective.h"

#include "cases.h"

namespace compeer::grpo {
namespace {

// Three completions of 2, 3 and 1 tokens with losses (1, 2), (3, 4, 5), (7).
const at::Tensor token_mask = at::tensor({1, 1, 0, 1, 1, 1, 1, 0, 0}, at::kDouble).view({3, 3});
const at::Tensor losses = at::tensor({1, 2, 99, 3, 4, 5, 7, 99, 99}, at::kDouble).view({3, 3});

double total(Average average) { return (weights(average, token_mask, {3, 6, 10}) * losses).sum().item<double>(); }

TEST(Average, OverCompletionsIsTheMeanOfTheirMeans) {
  EXPECT_NEAR(total(Average::completion), (1.5 + 4 + 7) / 3, 1e-12);
}
TEST(Average, OverTokensCountsEveryTokenOnce) { EXPECT_NEAR(total(Average::token), 22.0 / 6, 1e-12); }
TEST(Average, ByAConstantDoesNotKnowLengths) { EXPECT_NEAR(total(Average::constant), 22.0 / 30, 1e-12); }
TEST(Average, OfSumsFavoursLongCompletions) { EXPECT_NEAR(total(Average::sum), 22.0 / 3, 1e-12); }

// (1, 2) in one micro-batch, (3, 4, 5, 6, 7) in another: 28 / 7, not the mean of 1.5 and 5.
TEST(Average, DoesNotDependOnHowAStepIsCutUp) {
  const StepSize step{2, 7, 5};
  const auto first = at::tensor({1, 2}, at::kDouble).view({1, 2}),
             second = at::tensor({3, 4, 5, 6, 7}, at::kDouble).view({1, 5});
  const double sum = (weights(Average::token, at::ones_like(first), step) * first).sum().item<double>() +
                     (weights(Average::token, at::ones_like(second), step) * second).sum().item<double>();
  EXPECT_NEAR(sum, 4.0, 1e-12);
}

TEST(Average, CountsAnEmptyCompletion) {
  const auto mask = at::tensor({1, 1, 0, 0}, at::kDouble).view({2, 2});
  EXPECT_NEAR(weights(Average::completion, mask, {2, 2, 4}).sum().item<double>(), 0.5, 1e-12);
}

TEST(RowMean, IgnoresWhateverThePaddingHolds) {
  const auto values = at::tensor({1.0, std::nan(""), std::nan(""), 4.0}, at::kDouble).view({1, 4});
  const auto mask = at::tensor({1, 0, 0, 1}, at::kDouble).view({1, 4});
  expect_near(row_mean(values, mask), {2.5}, 1e-12);
}

}  // namespace
}  // namespace compeer::grpo
