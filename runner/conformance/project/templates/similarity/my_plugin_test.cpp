#include <compeer/similarity.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

namespace {

double cosine(const std::string& a, const std::string& b, bool capitals = false) {
  compeer::TestHost host;
  const auto plugin = compeer::open_library<compeer::Similarity>(PLUGIN_FILE, {{"capitals", capitals}}, host);
  return plugin->compare({a}, {b})[0][0];
}

TEST(MyPlugin, LooksAtLettersNotAtTheirOrder) {
  EXPECT_EQ(cosine("listen", "silent"), 1);
  EXPECT_EQ(cosine("abc", "xyz"), 0);
  EXPECT_DOUBLE_EQ(cosine("ab", "a"), std::sqrt(0.5));
}

TEST(MyPlugin, TellsCapitalsApartIfAsked) {
  EXPECT_EQ(cosine("AB", "ab"), 1);
  EXPECT_EQ(cosine("AB", "ab", true), 0);
}

TEST(MyPlugin, FindsNothingLikeATextWithoutContent) { EXPECT_EQ(cosine(" \n", "a"), 0); }

}  // namespace
