#include "plugin/calls.h"

#include <c10/util/Exception.h>

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

// All numbers of a group of four.
std::vector<float> scored(const std::string& act) {
  const auto shared = services();
  auto plugin = actor(act, shared);
  const auto table = score(plugin, {example, four}, columns(plugin));
  EXPECT_EQ(table.sizes(), (at::IntArrayRef{4, 2}));
  return {table.const_data_ptr<float>(), table.const_data_ptr<float>() + table.numel()};
}

TEST(Score, IsATableInTheOrderOfCompletionsAndParts) {
  EXPECT_EQ(scored("well"), std::vector<float>(8, 1));
  EXPECT_EQ(scored("backwards"), (std::vector<float>{0.5, 0, 0.5, 1, 0.5, 2, 0.5, 3}));
}

TEST(Score, IsRoundedToFloat32) { EXPECT_EQ(scored("thirds")[0], 1.0F / 3.0F); }

TEST(Score, MayBeMissingWhereARewardAbstains) {
  const auto shared = services();
  auto plugin = actor("abstain", shared);
  const auto scores = score(plugin, {example, four}, columns(plugin));
  EXPECT_TRUE(std::isnan(scores[2][1].item<float>()));
  EXPECT_EQ(scores[2][0].item<float>(), 1.0F);
}

TEST(Score, NamesWhatTheContractForbids) {
  EXPECT_EQ(refused("nothing").problem(), "gave no number in column 'style' of completion 0 (the first is 0)");
  EXPECT_EQ(refused("leave out").problem(), "gave no number in column 'quality' of completion 3 (the first is 0)");
  EXPECT_EQ(refused("leave out").help(), "add a row for each completion, with a number for every column");
  EXPECT_EQ(refused("another column").problem(),
            "gave a number for 'qualty' of completion 3 (the first is 0), which is none of its columns");
  EXPECT_EQ(refused("another column").help(), "did you mean 'quality'? known: style, quality");
  EXPECT_EQ(refused("twice").problem(), "gave two numbers in column 'style' of completion 1 (the first is 0)");
  EXPECT_EQ(refused("twice").help(), "add each completion once, and each column once");
  EXPECT_EQ(refused("copy").problem(), "added a row for a completion that is not in the group");
  EXPECT_EQ(refused("copy").help(),
            "pass the element itself, not a copy: for (const auto& completion : group.completions)");
  EXPECT_EQ(refused("nan").problem(), "returned NaN in column 'quality' of completion 2 (the first is 0)");
  EXPECT_EQ(refused("infinity").problem(), "returned -infinity in column 'style' of completion 0 (the first is 0)");
  EXPECT_EQ(refused("too large").problem(), "returned +infinity in column 'style' of completion 0 (the first is 0)");
  EXPECT_EQ(refused("throw int").problem(), "threw a value of type int");
  EXPECT_EQ(refused("write").problem(), "wrote into the completions");
}

// Of these texts, with a reward that can't read an 'x'.
std::string about(const std::string& act, const std::vector<std::string>& texts) {
  const auto shared = services();
  auto plugin = actor(act, shared);
  std::vector<Completion> completions;
  for (const auto& text : texts) completions.push_back({text, 1, true});
  const Group group{example, completions};
  try {
    score(plugin, group, {"style", "quality"});
  } catch (const PluginError& failure) {
    return culprit(plugin, group, {"style", "quality"}, failure);
  }
  return "nobody failed";
}

TEST(Culprit, IsTheCompletionThatFailsAlone) {
  EXPECT_EQ(about("throw at x", {"a", "b", "six", "x"}), "completion 2 (the first is 0)");
  EXPECT_EQ(about("throw at x", {"x", "x"}), "every completion");
  EXPECT_EQ(about("throw at x", {"x"}), "completion 0 (the first is 0)");
  EXPECT_EQ(about("throw at x", {"a"}), "nobody failed");
}

TEST(Culprit, IsUnknownWhereTheGroupFailsAsAWhole) {
  EXPECT_EQ(about("copy", {"a", "b"}), "");
  EXPECT_EQ(about("throw error", {"a", "b"}), "");
  EXPECT_EQ(about("infinity", {"a", "b"}), "");  // the message names the completion
}

TEST(PluginError, SaysWhatTheCallWasAbout) {
  const auto shared = services();
  auto plugin = actor("throw int", shared);
  try {
    score(plugin, {example, four}, {"style", "quality"});
    ADD_FAILURE();
  } catch (const PluginError& failure) {
    const PluginError of_completion("completion 2 (the first is 0)", failure);
    const PluginError of_record("step 3, record a/7", of_completion);
    EXPECT_EQ(of_record.where(), "step 3, record a/7, completion 2 (the first is 0): " + in("score"));
    EXPECT_EQ(of_record.problem(), "threw a value of type int");
    EXPECT_EQ(of_record.exit(), Exit::plugin);
    EXPECT_EQ(of_record.plugin(), "rewards/actor 2.3.4");
  }
}

TEST(Score, ShowsOfALongMessageTheBeginning) {
  EXPECT_EQ(refused("throw much").problem(), std::string(4000, 'x') + "... (20000000 bytes)");
}

TEST(Score, IsOfAllGroupsInOneCall) {
  const auto shared = services();
  auto plugin = actor("note", shared);
  Example first, second;
  first.id = "a", second.id = "b";
  const std::vector<Completion> two(2);
  const std::vector<Group> groups{{first, four}, {second, two}};
  const auto all = score(plugin, groups, columns(plugin));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].table.sizes(), (at::IntArrayRef{4, 2}));
  EXPECT_EQ(all[1].table.sizes(), (at::IntArrayRef{2, 2}));
  EXPECT_EQ(all[0].note, "a");
  EXPECT_EQ(all[1].note, "b");
}

TEST(Score, FailsForTheGroupThatItIsAbout) {
  const auto shared = services();
  auto plugin = actor("throw at x", shared);
  std::vector<Completion> odd(2);
  odd[1].text = "x";
  const std::vector<Group> groups{{example, four}, {example, odd}, {example, four}};
  const auto all = score(plugin, groups, columns(plugin));
  EXPECT_FALSE(all[0].failure);
  EXPECT_FALSE(all[2].failure);
  EXPECT_EQ(error_of([&] { std::rethrow_exception(all[1].failure); }).problem(), "stoi");
}

TEST(Score, FailsWhereGroupsCanOnlyBeScoredAlone) {
  const auto shared = services();
  auto plugin = actor("throw for two", shared);
  const std::vector<Group> groups{{example, four}, {example, four}};
  const auto all = score(plugin, groups, columns(plugin));
  EXPECT_EQ(error_of([&] { std::rethrow_exception(all[0].failure); }).problem(), "too many");
}

TEST(Score, TakesNotesOfGroupsThatWereGiven) {
  EXPECT_EQ(refused("note another").problem(), "noted something of a group that it was not given");
}

TEST(Columns, AreNamesThatARecordCanTake) {
  const auto shared = services();
  const auto problem = [&](const std::string& act) {
    auto plugin = actor(act, shared);
    const auto error = error_of([&] { columns(plugin); });
    EXPECT_EQ(error.where(), in("columns"));
    return error.problem();
  };
  EXPECT_EQ(problem("equal columns"), "returned the name 'style' twice");
  EXPECT_EQ(problem("odd columns"), "returned the name 'style/tone'");
  EXPECT_EQ(problem("dots"), "returned the name '..'");
}

TEST(Compare, RefusesWhatNoCosineCanBe) {
  const auto shared = services();
  const auto chosen = library("wild", "similarity", "mirror");
  auto plugin =
      open<Similarity>(chosen, Settings(nlohmann::json{{"value", 1.5}}), std::make_unique<RunHost>(chosen, shared));
  const auto error = error_of([&] { compare(plugin, {"a", "b"}, {"c", "d", "e"}); });
  EXPECT_EQ(error.problem(), "returned 1.500000 for text 0 of the first list and 0 of the second (the first is 0)");
  EXPECT_EQ(compare(plugin, {"a"}, {}), std::vector<std::vector<double>>(1));
}

TEST(Compare, NeedsANumberForEachPair) {
  const auto shared = services();
  const auto chosen = library("short", "similarity", "mirror");
  auto plugin =
      open<Similarity>(chosen, Settings(nlohmann::json{{"value", 0.5}}), std::make_unique<RunHost>(chosen, shared));
  const auto error = error_of([&] { compare(plugin, {"a", "b"}, {"c", "d", "e"}); });
  EXPECT_EQ(error.problem(), "returned 2 numbers instead of 3 for text 0 of the first list (the first is 0)");
}

// A plugin isn't to blame for these.
TEST(ADevice, FailsWithARemedy) {
  const auto said = [](const auto& thrown) {
    return error_of([&] { guard(Identity(), "forward", [&] { throw thrown; }); });
  };
  const auto full =
      said(c10::OutOfMemoryError({"allocate", "x.cpp", 1}, "CUDA out of memory. Tried to allocate 2 GiB"));
  EXPECT_EQ(full.exit(), Exit::failure);
  EXPECT_EQ(full.problem(), "CUDA out of memory. Tried to allocate 2 GiB");
  EXPECT_EQ(full.help(),
            "model.recompute_above = 0, less sampling.concurrent or shorter groups need less of the device's memory; "
            "compeer resume goes on from the newest checkpoint");
  const auto lost = said(c10::AcceleratorError({"wait", "x.cpp", 1}, 719, "CUDA error: unspecified launch failure"));
  EXPECT_EQ(lost.exit(), Exit::failure);
  EXPECT_EQ(lost.help(),
            "look at nvidia-smi and the system's log; compeer resume goes on from the newest checkpoint, with "
            "model.device = \"auto\" also on the CPU");
  EXPECT_EQ(said(c10::Error({"f", "x.cpp", 1}, "wrong shape")).exit(), Exit::plugin);
}

}  // namespace

}  // namespace compeer::plugin
