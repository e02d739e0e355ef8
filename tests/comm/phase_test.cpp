#include "comm/phase.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace compeer::comm {
namespace {

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
