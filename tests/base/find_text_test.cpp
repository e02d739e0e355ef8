#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace compeer {
namespace {

TEST(FindText, FindsWhatTheStandardLibraryFinds) {
  for (const std::string text : {"", "a", "abab", "aabaabaa", "abcabcab", "bbbb"}) {
    for (const std::string part : {"", "a", "ab", "aab", "cab", "bb", "abcabcabc"}) {
      EXPECT_EQ(find_last_text(text, part), text.rfind(part)) << text << " " << part;
      for (size_t from = 0; from <= text.size() + 1; ++from)
        EXPECT_EQ(find_text(text, part, from), text.find(part, from)) << text << " " << part << " " << from;
    }
  }
}

TEST(FindText, TakesNulBytesAsAnyOther) {
  const std::string text("a\0b\0c", 5);
  EXPECT_EQ(find_text(text, std::string_view("\0c", 2)), 3u);
  EXPECT_EQ(find_last_text(text, std::string_view("\0", 1)), 3u);
}

// 2 million times 2 million comparisons would take minutes.
TEST(FindText, EndsForTextsThatAreAlmostAlike) {
  const std::string half(2'000'000, 'a');
  EXPECT_EQ(find_text(half + half, half + "b"), std::string::npos);
  EXPECT_EQ(find_last_text(half + half, "b" + half), std::string::npos);
}

}  // namespace
}  // namespace compeer
