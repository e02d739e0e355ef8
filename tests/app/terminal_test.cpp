#include "app/terminal.h"

#include <gtest/gtest.h>

#include <sstream>

namespace compeer::app {
namespace {

TEST(PlainOutput, ShowsControlCharactersInsteadOfSendingThem) {
  std::ostringstream stream;
  {
    const PlainOutput plain(stream);
    stream << "name\x1b]0;title\x07 " << 'x' << '\r' << "\tend\n"
           << "\x1b[2J";
    EXPECT_EQ(stream.str(), "name\\x1b]0;title\\x07 x\\x0d\tend\n") << "whole lines go at once";
  }
  EXPECT_EQ(stream.str(), "name\\x1b]0;title\\x07 x\\x0d\tend\n\\x1b[2J");
  stream << "\x1b";
  EXPECT_TRUE(stream.str().ends_with("\x1b")) << "it is what it was before";
}

TEST(PlainOutput, KeepsCharactersWhole) {
  std::ostringstream stream;
  {
    const PlainOutput plain(stream);
    stream << "gr\xc3"
           << "\xb6\xc3\x9f"
           << "er \xc2"
           << "\x9b"
           << "31m\xff\n";
  }
  EXPECT_EQ(stream.str(), "größer \\x9b31m\\xff\n");
}

}  // namespace
}  // namespace compeer::app
