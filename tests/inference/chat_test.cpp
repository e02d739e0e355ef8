#include "inference/chat.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "inference/json_lines.h"

namespace compeer::inference {
namespace {

TEST(SigintFlag, ThatCameJustBeforeSomebodyWaitsEndsTheWaiting) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  SigintFlag interruption(true);
  JsonLineReader lines(ends[0], interruption.descriptor());
  ::raise(SIGINT);
  EXPECT_EQ(lines.next(), "");
  EXPECT_TRUE(interruption.raised());

  interruption.clear();
  EXPECT_FALSE(interruption.raised());
  ASSERT_EQ(::write(ends[1], "hello\n", 6), 6);
  EXPECT_EQ(lines.next(), "hello");
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace compeer::inference
