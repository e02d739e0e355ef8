#include "train/update/parameters.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "learning_groups.h"

namespace compeer::train {
namespace {

TEST(Parameters, AreViewsOfOneArray) {
  Seven model;
  Parameters parameters(model);
  ASSERT_EQ(parameters.size(), 7);
  EXPECT_EQ(parameters.weights()[2], 0.9f);
  parameters.weights()[2] = 4;
  EXPECT_EQ(model.logits[2].item<float>(), 4);
}

TEST(Parameters, SayWhichElementsOfAGradientAreComplete) {
  Seven model;
  Parameters parameters(model);
  std::vector<float> gradient(7, 9.0f);
  std::vector<comm::Share> ready;
  parameters.differentiate(model.logits.sum(), gradient, [&](comm::Share share) { ready.push_back(share); });
  EXPECT_EQ(gradient, std::vector<float>(7, 1.0f));
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(ready[0].first, 0);
  EXPECT_EQ(ready[0].count, 7);
}

TEST(Parameters, RefuseAGradientThatGoesOnAfterItWasSaidToBeComplete) {
  Seven model;
  Parameters parameters(model);
  std::vector<float> gradient(7);
  const auto twice = [&] {
    parameters.last_pass([](comm::Share) {});
    model.logits.sum().backward();
    model.logits.sum().backward();
  };
  try {
    parameters.collect(gradient, {}, twice);
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "logits: its gradient comes in several passes, and the first was taken for all of it\n  help: set "
                 "overlap = \"never\"");
    EXPECT_EQ(e.exit(), Exit::plugin);
  }
  parameters.differentiate(model.logits.sum(), gradient);
  EXPECT_EQ(gradient, std::vector<float>(7, 1.0f));
}

TEST(Parameters, RefuseWeightsThatDoNotTrain) {
  Seven model;
  model.logits.set_requires_grad(false);
  try {
    const Parameters parameters(model);
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(
        e.what(),
        "model: has no weights that train\n  help: leave model.frozen out, or train an adapter (model.adapter)");
    EXPECT_EQ(e.exit(), Exit::spec);
  }
}

}  // namespace
}  // namespace compeer::train
