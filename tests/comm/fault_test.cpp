#include "comm/fault.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>

#include "base/files.h"
#include "comm/phase.h"

namespace compeer::comm {
namespace {

Fault sample() { return {1, "h", "score", "rewards/length 1.0.0", "a:1", "say \"no\"", "try yes", 5}; }

TEST(Fault, IsWrittenWithAllItsNames) {
  EXPECT_EQ(to_json(sample()),
            "{\"rank\":1,\"host\":\"h\",\"phase\":\"score\",\"plugin\":\"rewards/length 1.0.0\",\"where\":\"a:1\","
            "\"what\":\"say \\\"no\\\"\",\"help\":\"try yes\",\"exit\":5}\n");
}

TEST(Fault, WithoutAPluginSaysNull) {
  Fault fault = sample();
  fault.plugin = "";
  EXPECT_NE(to_json(fault).find("\"plugin\":null"), std::string::npos);
}

TEST(Fault, ReadsBackAsWritten) { EXPECT_EQ(to_json(fault_from_json(to_json(sample()))), to_json(sample())); }

TEST(Fault, SurvivesBytesThatAreNoText) {
  Fault fault = sample();
  fault.what = "\xff\xfe";
  EXPECT_EQ(fault_from_json(to_json(fault)).what, "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Fault, TheFirstRankWins) {
  const auto file = std::filesystem::temp_directory_path() / ("fault-test-" + std::to_string(::getpid()) + ".json");
  std::filesystem::remove(file);
  Fault second = sample();
  second.rank = 2;
  EXPECT_TRUE(write_first(file, sample()));
  EXPECT_FALSE(write_first(file, second));
  EXPECT_EQ(read_file(file), to_json(sample()));
  std::filesystem::remove(file);
}

TEST(Fault, ThatDoesNotFitOnTheDiskLeavesNoEmptyFile) {
  const auto file = std::filesystem::temp_directory_path() / ("compeer-full-" + std::to_string(::getpid()));
  std::filesystem::remove(file);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{10, before.rlim_max};
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &little);
  EXPECT_FALSE(write_first(file, sample()));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, former);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Fault, AnErrorKeepsItsExitCode) {
  const Phase phase("score", "rewards/length 1.0.0");
  const Fault fault = fault_of(std::make_exception_ptr(Error("f", "w", "h", Exit::data)), 3, "h");
  EXPECT_EQ(fault.exit, 4);
  EXPECT_EQ(fault.where, "f");
  EXPECT_EQ(fault.rank, 3);
  EXPECT_EQ(fault.plugin, "rewards/length 1.0.0");
}

TEST(Fault, AnythingElseFromAPluginIsThePluginsFault) {
  EXPECT_EQ(fault_of(std::make_exception_ptr(std::runtime_error("x")), 0, "h").exit, 1);
  const Phase phase("score", "rewards/length 1.0.0");
  EXPECT_EQ(fault_of(std::make_exception_ptr(std::runtime_error("x")), 0, "h").exit, 5);
  EXPECT_EQ(fault_of(std::make_exception_ptr(7), 0, "h").what, "an exception was thrown that is not a std::exception");
}

TEST(RankError, SpeaksOfRanksOnlyWhereThereAreSeveral) {
  EXPECT_STREQ(RankError(sample(), 1).what(), "a:1: say \"no\"\n  help: try yes");
  EXPECT_STREQ(RankError(sample(), 2).what(),
               "rank 1 (host h), phase 'score', plugin rewards/length 1.0.0: a:1: say \"no\"\n  help: try yes");
}

TEST(RankError, NamesPhaseAndPluginOnce) {
  Fault fault = sample();
  fault.where = "rewards/length 1.0.0, in score()";
  EXPECT_EQ(RankError(fault, 2).where(), "rank 1 (host h): rewards/length 1.0.0, in score()");
  fault.phase = "train";
  EXPECT_EQ(RankError(fault, 2).where(), "rank 1 (host h), phase 'train': rewards/length 1.0.0, in score()");
}

TEST(Phase, NestsAndComesBack) {
  const Phase outer("rollout");
  {
    const Phase inner("score", "rewards/length 1.0.0");
    EXPECT_EQ(activity().phase, "score");
    EXPECT_EQ(activity().plugin, "rewards/length 1.0.0");
  }
  EXPECT_EQ(activity().phase, "rollout");
  EXPECT_EQ(activity().plugin, "");
}

TEST(Phase, CutsLongTexts) {
  const Phase phase(std::string(100, 'a'), std::string(200, 'b'));
  EXPECT_EQ(activity().phase, std::string(63, 'a'));
  EXPECT_EQ(activity().plugin, std::string(127, 'b'));
}

TEST(Phase, AnExceptionKeepsTheInnermostOneItLeft) {
  const Phase outer("step");
  try {
    const Phase middle("score", "rewards/length 1.0.0");
    const Phase inner("compare", "similarity/hashed_ngrams 1.0.0");
    throw std::runtime_error("x");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(failed_activity().phase, "compare");
    EXPECT_EQ(failed_activity().plugin, "similarity/hashed_ngrams 1.0.0");
    EXPECT_EQ(activity().phase, "step");
  }
  const Phase next("update");
  EXPECT_EQ(failed_activity().phase, "update");
}

TEST(Phase, AHandlerSeesItWithoutAllocating) {
  const Phase phase("score", "rewards/length 1.0.0");
  char name[longest_phase], plugin[longest_plugin];
  copy_activity(name, plugin);
  EXPECT_STREQ(name, "score");
  EXPECT_STREQ(plugin, "rewards/length 1.0.0");
}

TEST(Phase, ThreadsHaveTheirOwn) {
  const Phase mine("rollout");
  std::thread([] {
    const Phase theirs("score", "rewards/length 1.0.0");
    EXPECT_EQ(activity().phase, "score");
  }).join();
  EXPECT_EQ(activity().phase, "rollout");
}

}  // namespace
}  // namespace compeer::comm
