#include "base/utf8.h"

#include <gtest/gtest.h>

namespace compeer {
namespace {

TEST(FirstBroken, IsWhereTextIsNoUtf8) {
  EXPECT_EQ(first_broken(""), 0u);
  EXPECT_EQ(first_broken("plain"), 5u);
  EXPECT_EQ(first_broken("\xE4\xBD\xA0\xEF\xBF\xBD"), 6u) << "the replacement character itself is whole";
  EXPECT_EQ(first_broken("ab\xE4\xBD"), 2u);
  EXPECT_EQ(first_broken("\xED\xA0\x80"), 0u) << "half a surrogate pair";
  EXPECT_EQ(first_broken("\xC0\xAF"), 0u) << "overlong, two bytes";
  EXPECT_EQ(first_broken("\xE0\x9F\xBF"), 0u) << "overlong, three";
  EXPECT_EQ(first_broken("\xF0\x8F\xBF\xBF"), 0u) << "overlong, four";
  EXPECT_EQ(first_broken("\xF4\x8F\xBF\xBF"), 4u) << "U+10FFFF";
  EXPECT_EQ(first_broken("\xF4\x90\x80\x80"), 0u) << "beyond it";
}

TEST(FirstBroken, IsFoundWhereverItStands) {
  for (size_t before = 0; before < 20; ++before) {
    for (size_t after = 0; after < 20; ++after) {
      const std::string text = std::string(before, 'a') + "\xFF" + std::string(after, 'b');
      EXPECT_EQ(first_broken(text), before);
    }
  }
}

}  // namespace
}  // namespace compeer
