#include "plugin/calls.h"

#include <c10/util/Exception.h>
#include <unistd.h>

#include <cfenv>
#include <cmath>
#include <filesystem>

#include "actors.h"
#include "folder.h"
#include "plugin/caller_state.h"

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

Scores scored(const std::string& act) {
  const auto shared = services();
  auto plugin = actor(act, shared);
  return score(plugin, {example, four}, columns(plugin));
}

TEST(Score, HasTheColumnsInTheirOrder) {
  for (const char* act : {"well", "quality first"}) {
    const auto scores = scored(act);
    ASSERT_EQ(scores.columns().size(), 2u);
    EXPECT_EQ(scores.columns()[0].first, "style");
    EXPECT_EQ(scores.columns()[1].first, "quality");
    EXPECT_EQ(scores.at("style"), (std::vector<double>{1, 1, 1, 1}));
  }
}

TEST(Score, IsRoundedToFloat32) { EXPECT_EQ(scored("thirds").at("style")[0], double{1.0F / 3.0F}); }

TEST(Score, MayBeMissingWhereARewardAbstains) {
  const auto shared = services();
  auto plugin = actor("abstain", shared);
  const auto scores = score(plugin, {example, four}, columns(plugin));
  EXPECT_TRUE(std::isnan(scores.at("quality")[2]));
  EXPECT_EQ(scores.at("style")[2], 1);
}

TEST(Score, NamesWhatTheContractForbids) {
  EXPECT_EQ(refused("nothing").problem(), "returned 0 numbers in column 'style' for 4 completions");
  EXPECT_EQ(refused("leave out").problem(), "returned 3 numbers in column 'quality' for 4 completions");
  EXPECT_EQ(refused("leave out").help(),
            "return one number for each completion in every column, in the order of the completions");
  EXPECT_EQ(refused("another column").problem(), "returned a column 'qualty', which is not one of its columns");
  EXPECT_EQ(refused("another column").help(), "did you mean 'quality'? known: style, quality");
  EXPECT_EQ(refused("twice").problem(), "returned 5 numbers in column 'style' for 4 completions");
  EXPECT_EQ(refused("one more").problem(), "returned scores of 2 groups instead of 1");
  EXPECT_EQ(refused("nan").problem(), "returned NaN in column 'quality' of completion 2 (the first is 0)");
  EXPECT_EQ(refused("infinity").problem(), "returned -infinity in column 'style' of completion 0 (the first is 0)");
  EXPECT_EQ(refused("too large").problem(), "returned +infinity in column 'style' of completion 0 (the first is 0)");
  EXPECT_EQ(refused("throw int").problem(), "threw a value of type int");
  EXPECT_EQ(refused("write").problem(), "modified the completions");
}

// Returns the error about a reward's results for these texts; "" if there is none.
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
  EXPECT_EQ(about("one more", {"a", "b"}), "every completion");
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
  EXPECT_EQ(all[0].scores.at("style").size(), 4u);
  EXPECT_EQ(all[1].scores.at("style").size(), 2u);
  EXPECT_EQ(all[0].scores.note, "a");
  EXPECT_EQ(all[1].scores.note, "b");
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

// Errors of a device are not attributed to the plugin.
TEST(ADevice, FailsWithARemedy) {
  const auto said = [](const auto& thrown) {
    return error_of([&] { guard(Identity(), "forward", [&] { throw thrown; }); });
  };
  const auto full =
      said(c10::OutOfMemoryError({"allocate", "x.cpp", 1}, "CUDA out of memory. Tried to allocate 2 GiB"));
  EXPECT_EQ(full.exit(), Exit::failure);
  EXPECT_EQ(full.problem(), "CUDA out of memory. Tried to allocate 2 GiB");
  EXPECT_EQ(full.help(),
            "use less device memory: set model.recompute_above = 0, lower sampling.concurrent or shorten groups; "
            "compeer resume continues from the newest checkpoint");
  const auto lost = said(c10::AcceleratorError({"wait", "x.cpp", 1}, 719, "CUDA error: unspecified launch failure"));
  EXPECT_EQ(lost.exit(), Exit::failure);
  EXPECT_EQ(lost.help(),
            "check nvidia-smi and the system log; compeer resume continues from the newest checkpoint, with "
            "model.device = \"auto\" also on the CPU");
  EXPECT_EQ(said(c10::Error({"f", "x.cpp", 1}, "wrong shape")).exit(), Exit::plugin);
}

namespace fs = std::filesystem;

// Returns the error of a score() call in which the actor does `act`.
Error error_after(const std::string& act) {
  const auto shared = services();
  auto plugin = actor(act, shared);
  return error_of([&] { score_one(plugin); });
}

class EveryChange : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(EveryChange, OfACallIsUndoneAndRefusedByName) {
  const auto [act, what] = GetParam();
  const ThreadStateGuard before;
  const auto error = error_after(std::string("change: ") + act);
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.where(), in("score"));
  EXPECT_EQ(error.problem(), std::string("left ") + what + " changed");
  EXPECT_EQ(error.help(), "other code relies on it: restore it before the call returns, also after an exception");
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
}

TEST_P(EveryChange, OfAConstructorIsUndoneAndRefusedByName) {
  const auto [act, what] = GetParam();
  const ThreadStateGuard before;
  const auto shared = services();
  const auto in_make = std::string("change in make: ") + act;
  const auto error = error_of([&] { actor(in_make, shared); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.where(), in("make"));
  EXPECT_EQ(error.problem(), std::string("left ") + what + " changed");
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
}

TEST_P(EveryChange, OfADestructorIsUndone) {
  const ThreadStateGuard before;
  const auto shared = services();
  { const auto plugin = actor(std::string("change at the end: ") + GetParam().first, shared); }
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(ThreadStateGuard, EveryChange,
                         testing::Values(std::pair{"rounding", "the rounding mode"},
                                         std::pair{"folder", "the current folder"},
                                         std::pair{"signals", "the set of blocked signals"},
#ifdef __x86_64__
                                         std::pair{"denormals", "the treatment of denormal numbers"},
                                         std::pair{"traps", "the traps of floating-point exceptions"},
                                         std::pair{"precision", "the precision of x87"},
#endif
                                         std::pair{"locale", "the locale"}),
                         [](const auto& one) { return std::string(one.param.first); });

TEST(ThreadStateGuard, IsUndoneAfterACallThatThrew) {
  const auto error = error_after("change and throw");
  EXPECT_EQ(error.problem(), "no more");
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(ThreadStateGuard, HasNoPartInFlagsOfPastCalculations) {
  const auto shared = services();
  auto plugin = actor("change: flags", shared);
  EXPECT_NO_THROW(score_one(plugin));
}

// A plugin that changes process state, calls another plugin and restores the state has changed nothing, and neither has
// the other plugin.
TEST(ThreadStateGuard, IsThatOfTheInnerCallsCaller) {
  const auto shared = services();
  auto plugin = actor("change for the similarity", shared);
  EXPECT_NO_THROW(score_one(plugin));
}

TEST(ThreadStateGuard, NamesAllThatIsOtherwise) {
  const ThreadStateGuard before;
  std::fesetround(FE_DOWNWARD);
  ASSERT_EQ(::chdir("/"), 0);
  EXPECT_EQ(before.restore(), (std::vector<std::string>{"the rounding mode", "the current folder"}));
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
  EXPECT_EQ(in_words({"the rounding mode", "the current folder"}), "the rounding mode and the current folder");
}

TEST(ThreadStateGuard, IsTheSameInAFolderThatSomebodyRenamed) {
  const auto home = fs::current_path();
  const Folder folder;
  fs::create_directory(folder.path() / "a");
  fs::current_path(folder.path() / "a");
  const ThreadStateGuard before;
  fs::rename(folder.path() / "a", folder.path() / "b");
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
  EXPECT_EQ(fs::current_path(), fs::canonical(folder.path() / "b"));
  fs::current_path(home);
}

TEST(ThreadStateGuard, IsUndoneWhenALibraryChangedItOnLoading) {
  const auto home = fs::current_path();
  const auto error = error_of([] { Library(library("moving", "rewards", "plain"), "rewards"); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.problem(), "plugin rewards/plain changed the current folder when it was loaded");
  EXPECT_EQ(fs::current_path(), home);
}

}  // namespace
}  // namespace compeer::plugin
