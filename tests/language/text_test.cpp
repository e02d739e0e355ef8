#include "language/text.h"

#include <gtest/gtest.h>

#include "language/spelling.h"
#include "language/splitter.h"

namespace compeer::language {
namespace {

TEST(ValidUtf8, KeepsWhatIsValid) {
  EXPECT_EQ(valid_utf8("a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x99\x82"), "a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x99\x82");
}

// One U+FFFD for each longest broken beginning, as Unicode recommends and Python does.
TEST(ValidUtf8, ReplacesBrokenBytes) {
  EXPECT_EQ(valid_utf8("\xFF"), "\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("a\xE4\xBD"), "a\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xE4\xBDz"), "\xEF\xBF\xBDz");
  EXPECT_EQ(valid_utf8("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Normalize, ComposesAccents) { EXPECT_EQ(normalize("e\xCC\x81"), "\xC3\xA9"); }

TEST(SpellBytes, IsUndoneByUnspell) {
  std::string all;
  for (int b = 0; b < 256; ++b) all += static_cast<char>(b);
  EXPECT_EQ(unspell_bytes(spell_bytes(all)), all);
  EXPECT_EQ(spell_bytes(" hi\n"), "\xC4\xA0hi\xC4\x8A");  // the space as U+0120, the newline as U+010A
}

TEST(Splitter, KeepsWhatLiesBetweenMatches) {
  const Splitter splitter("[0-9]", "test");
  EXPECT_EQ(splitter.split("ab12c"), (std::vector<std::string_view>{"ab", "1", "2", "c"}));
}

}  // namespace
}  // namespace compeer::language
