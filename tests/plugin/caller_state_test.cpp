#include "plugin/caller_state.h"

#include <unistd.h>

#include <cfenv>
#include <filesystem>

#include "actors.h"
#include "folder.h"

namespace compeer::plugin {
namespace {

namespace fs = std::filesystem;

// The error of a score() in which the actor does this.
Error scored(const std::string& act) {
  const auto shared = services();
  auto plugin = actor(act, shared);
  return error_of([&] { score_one(plugin); });
}

class EveryChange : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(EveryChange, OfACallIsUndoneAndRefusedByName) {
  const auto [act, what] = GetParam();
  const CallerState before;
  const auto error = scored(std::string("change: ") + act);
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.where(), in("score"));
  EXPECT_EQ(error.problem(), std::string("left ") + what + " changed");
  EXPECT_EQ(error.help(), "other code relies on it: put it back before the call ends, on every way out of it");
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
}

TEST_P(EveryChange, OfAConstructorIsUndoneAndRefusedByName) {
  const auto [act, what] = GetParam();
  const CallerState before;
  const auto shared = services();
  const auto in_make = std::string("change in make: ") + act;
  const auto error = error_of([&] { actor(in_make, shared); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.where(), in("make"));
  EXPECT_EQ(error.problem(), std::string("left ") + what + " changed");
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
}

TEST_P(EveryChange, OfADestructorIsUndone) {
  const CallerState before;
  const auto shared = services();
  { const auto plugin = actor(std::string("change at the end: ") + GetParam().first, shared); }
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(CallerState, EveryChange,
                         testing::Values(std::pair{"rounding", "the rounding mode"},
                                         std::pair{"folder", "the current folder"},
                                         std::pair{"signals", "which signals are blocked"},
#ifdef __x86_64__
                                         std::pair{"denormals", "the treatment of denormal numbers"},
                                         std::pair{"traps", "the traps of floating-point exceptions"},
                                         std::pair{"precision", "the precision of x87"},
#endif
                                         std::pair{"locale", "the locale"}),
                         [](const auto& one) { return std::string(one.param.first); });

TEST(CallerState, IsUndoneAfterACallThatThrew) {
  const auto error = scored("change and throw");
  EXPECT_EQ(error.problem(), "no more");
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(CallerState, HasNoPartInFlagsOfPastCalculations) {
  const auto shared = services();
  auto plugin = actor("change: flags", shared);
  EXPECT_NO_THROW(score_one(plugin));
}

// Who changes something, calls another plugin and puts it back has left nothing changed, and neither has the other.
TEST(CallerState, IsThatOfTheInnerCallsCaller) {
  const auto shared = services();
  auto plugin = actor("change for the similarity", shared);
  EXPECT_NO_THROW(score_one(plugin));
}

TEST(CallerState, NamesAllThatIsOtherwise) {
  const CallerState before;
  std::fesetround(FE_DOWNWARD);
  ASSERT_EQ(::chdir("/"), 0);
  EXPECT_EQ(before.restore(), (std::vector<std::string>{"the rounding mode", "the current folder"}));
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
  EXPECT_EQ(in_words({"the rounding mode", "the current folder"}), "the rounding mode and the current folder");
}

TEST(CallerState, IsTheSameInAFolderThatSomebodyRenamed) {
  const auto home = fs::current_path();
  const Folder folder;
  fs::create_directory(folder.path() / "a");
  fs::current_path(folder.path() / "a");
  const CallerState before;
  fs::rename(folder.path() / "a", folder.path() / "b");
  EXPECT_EQ(before.restore(), std::vector<std::string>{});
  EXPECT_EQ(fs::current_path(), fs::canonical(folder.path() / "b"));
  fs::current_path(home);
}

TEST(CallerState, IsUndoneWhenALibraryChangedItOnLoading) {
  const auto home = fs::current_path();
  const auto error = error_of([] { Library(library("moving", "rewards", "plain"), "rewards"); });
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.problem(), "plugin rewards/plain changed the current folder when it was loaded");
  EXPECT_EQ(fs::current_path(), home);
}

}  // namespace
}  // namespace compeer::plugin
