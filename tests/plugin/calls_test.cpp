#include "plugin/calls.h"

#include <ATen/ops/ones.h>

#include <cmath>

#include "actors.h"

namespace compeer::plugin {

namespace {

const Example example;
const std::vector<Completion> four(4);

Error refused(const std::string& act) {
  const auto shared = services();
  auto plugin = actor(act, shared);
  const auto error = error_of([&] { score(plugin, {example, four}, {"style", "quality"}); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.where(), in("score"));
  return error;
}

TEST(Score, PassesWhatTheContractAllows) {
  const auto shared = services();
  for (const std::string act : {"well", "transposed"}) {
    auto plugin = actor(act, shared);
    const auto scores = score(plugin, {example, four}, parts(plugin));
    EXPECT_EQ(scores.sizes(), (at::IntArrayRef{4, 2}));
    EXPECT_TRUE(scores.is_contiguous());
  }
}

TEST(Score, StaysWhenThePluginUsesItsTensorAgain) {
  const auto shared = services();
  auto plugin = actor("use it again", shared);
  const auto first = score(plugin, {example, four}, parts(plugin));
  EXPECT_EQ(score(plugin, {example, four}, parts(plugin))[0][0].item<float>(), 2.0F);
  EXPECT_EQ(first[0][0].item<float>(), 1.0F);
}

TEST(Score, MayBeMissingWhereARewardAbstains) {
  const auto shared = services();
  auto plugin = actor("abstain", shared);
  const auto scores = score(plugin, {example, four}, parts(plugin));
  EXPECT_TRUE(std::isnan(scores[2][1].item<float>()));
  EXPECT_EQ(scores[2][0].item<float>(), 1.0F);
}

TEST(Score, NamesWhatTheContractForbids) {
  EXPECT_EQ(refused("wrong shape").problem(), "returned shape [3] instead of [4, 2]");
  EXPECT_EQ(refused("wrong type").problem(), "returned float64 instead of float32");
  EXPECT_EQ(refused("nothing").problem(), "returned no tensor");
  EXPECT_EQ(refused("nan").problem(), "returned NaN in column 'quality' of completion 2 (the first is 0)");
  EXPECT_EQ(refused("infinity").problem(), "returned -infinity in column 'style' of completion 0 (the first is 0)");
  EXPECT_EQ(refused("throw int").problem(), "threw a value of type int");
  EXPECT_EQ(refused("write").problem(), "wrote into the completions");
  EXPECT_EQ(refused("nothing").help(), "the contract is in compeer/reward.h");
}

TEST(Score, ShowsOfALongMessageTheBeginning) {
  EXPECT_EQ(refused("throw much").problem(), std::string(4000, 'x') + "... (20000000 bytes)");
}

TEST(Parts, AreNamesThatARecordCanTake) {
  const auto shared = services();
  const auto problem = [&](const std::string& act) {
    auto plugin = actor(act, shared);
    const auto error = error_of([&] { parts(plugin); });
    EXPECT_EQ(error.where(), in("parts"));
    return error.problem();
  };
  EXPECT_EQ(problem("no parts"), "returned no names");
  EXPECT_EQ(problem("equal parts"), "returned the name 'style' twice");
  EXPECT_EQ(problem("odd parts"), "returned the name 'style/tone'");
  EXPECT_EQ(problem("dots"), "returned the name '..'");
}

TEST(Compare, RefusesWhatNoCosineCanBe) {
  const auto shared = services();
  const auto chosen = library("wild", "similarity", "mirror");
  auto plugin =
      open<Similarity>(chosen, Settings(nlohmann::json{{"value", 1.5}}), std::make_unique<RunHost>(chosen, shared));
  const auto error = error_of([&] { compare(plugin, {"a", "b"}, {"c", "d", "e"}); });
  EXPECT_EQ(error.problem(), "returned 1.500000 for text 0 of the first list and 0 of the second (the first is 0)");
  EXPECT_EQ(compare(plugin, {"a"}, {}).sizes(), (at::IntArrayRef{1, 0}));
}

}  // namespace

}  // namespace compeer::plugin
