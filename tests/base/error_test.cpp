#include "base/error.h"

#include <gtest/gtest.h>

namespace compeer {
namespace {

TEST(Error, SaysWhereWhatAndHowToMendIt) {
  const Error error("experiments/grpo.toml:14", "no reward plugin 'lenght'", "did you mean 'length'?");
  EXPECT_STREQ(error.what(), "experiments/grpo.toml:14: no reward plugin 'lenght'\n  help: did you mean 'length'?");
  EXPECT_EQ(error.where(), "experiments/grpo.toml:14");
  EXPECT_EQ(error.problem(), "no reward plugin 'lenght'");
  EXPECT_EQ(error.help(), "did you mean 'length'?");
}

TEST(Error, IsNotCutOffAtAZeroByte) {
  using namespace std::string_literals;
  const Error error("a\0b"s, "no\0thing"s, "\0"s);
  EXPECT_STREQ(error.what(), "a\\x00b: no\\x00thing\n  help: \\x00");
  EXPECT_EQ(error.problem(), "no\0thing"s);
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  EXPECT_STREQ(Error("", "no seed").what(), "no seed");
  EXPECT_STREQ(Error("a.toml", "no seed").what(), "a.toml: no seed");
}

TEST(Error, IsAboutTheSpecUnlessSaidOtherwise) {
  EXPECT_EQ(Error("", "x").exit(), Exit::spec);
  EXPECT_EQ(Error("", "x", "", Exit::plugin).exit(), Exit::plugin);
}

TEST(Exit, CodesAreThoseOfTheDocumentation) {
  EXPECT_EQ(static_cast<int>(Exit::ok), 0);
  EXPECT_EQ(static_cast<int>(Exit::failure), 1);
  EXPECT_EQ(static_cast<int>(Exit::usage), 2);
  EXPECT_EQ(static_cast<int>(Exit::spec), 3);
  EXPECT_EQ(static_cast<int>(Exit::data), 4);
  EXPECT_EQ(static_cast<int>(Exit::plugin), 5);
  EXPECT_EQ(static_cast<int>(Exit::preempted), 85);
  EXPECT_EQ(static_cast<int>(Exit::watchdog), 86);
}

TEST(Nearest, FindsASlipOfTheFingers) {
  const std::vector<std::string> names = {"format", "length", "repetition"};
  EXPECT_EQ(nearest("lenght", names), "length");           // two letters swapped: distance 1
  EXPECT_EQ(nearest("formt", names), "format");            // one letter missing: distance 1
  EXPECT_EQ(nearest("repetitions", names), "repetition");  // one letter too many: distance 1
  EXPECT_EQ(nearest("lexgxh", names), "length");           // two wrong letters: the limit for a short word
}

TEST(Nearest, KnowsWhatAGpuIsCalled) {
  EXPECT_EQ(nearest("gpu", {"cpu", "cuda", "auto"}), "cuda");  // "cpu" is one letter away
  EXPECT_EQ(nearest("nvidia", {"cpu", "cuda", "auto"}), "cuda");
  EXPECT_EQ(nearest("gpu", {"cpus"}), "cpus");
}

TEST(Nearest, ReturnsNothingWhenNoNameIsNear) {
  EXPECT_EQ(nearest("banana", {"format", "length"}), "");
  EXPECT_EQ(nearest("length", {}), "");
  EXPECT_EQ(nearest(std::string(300000, 'x'), {"length"}), "");  // the table of distances would be too large
}

TEST(Nearest, LetsLongNamesDifferByAThird) {
  EXPECT_EQ(nearest("concurrent_sequences", {"concurent_sequence"}), "concurent_sequence");
}

TEST(Nearest, FindsTheLastPartOfAPath) {
  EXPECT_EQ(nearest("clip", {"grpo.clip_low", "grpo.clip"}), "grpo.clip");
  EXPECT_EQ(nearest("lip", {"grpo.clip"}), "");
}

TEST(Nearest, PrefersTheFirstOfEquallyNearNames) { EXPECT_EQ(nearest("ab", {"abc", "abd"}), "abc"); }

TEST(Suggest, NamesTheNearestAndAllKnown) {
  EXPECT_EQ(suggest("lenght", {"format", "length"}), "did you mean 'length'? known: format, length");
  EXPECT_EQ(suggest("banana", {"format", "length"}), "known: format, length");
}

TEST(Suggest, ListsOfManyNamesThoseThatAreMostAlike) {
  std::vector<std::string> names;
  for (const std::string stage : {"01-a/", "02-b/", "03-c/"}) {
    for (int i = 10; i < 50; ++i) names.push_back(stage + std::to_string(i));
  }
  EXPECT_EQ(suggest("02-b/contradictory/value", names),
            "known: 02-b/10, 02-b/11, 02-b/12, 02-b/13, 02-b/14, 02-b/15, 02-b/16, 02-b/17 and 112 more");
  EXPECT_EQ(suggest("/49", names, "compeer log show"),
            "known: 01-a/49, 02-b/49, 03-c/49, 01-a/10, 01-a/11, 01-a/12, 01-a/13, 01-a/14 and 112 more: compeer log "
            "show");
}

}  // namespace
}  // namespace compeer
