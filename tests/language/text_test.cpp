#include "language/text.h"

#include <gtest/gtest.h>

#include "language/splitter.h"
#include "language/vocabulary.h"

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

// The class of U+0316 (below) is less than that of U+0301 (above), so it comes first.
TEST(Normalize, BringsMarksIntoOrder) {
  std::string marks = "a", above, below;
  for (int i = 0; i < 100; ++i) marks += "\xCC\x81\xCC\x96", above += "\xCC\x81", below += "\xCC\x96";
  EXPECT_EQ(normalize(marks), "\xC3\xA1" + below + above.substr(2));
}

TEST(Normalize, MovesSpans) {
  std::vector<ByteSpan> spans{{1, 4}, {5, 6}};
  EXPECT_EQ(normalize("x"
                      "e\xCC\x81"
                      "yz",
                      spans),
            "x\xC3\xA9yz");
  EXPECT_EQ(spans, (std::vector<ByteSpan>{{1, 3}, {4, 5}}));
}

TEST(TakeSettled, KeepsWhatMayBecomeACharacter) {
  std::string bytes = "a\xE4\xBD";
  EXPECT_EQ(take_settled(bytes), "a");
  bytes += "\xA0z\xF0\x9F\xFF";
  EXPECT_EQ(take_settled(bytes), "\xE4\xBD\xA0z\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(bytes, "");
}

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

TEST(Splitter, DoesWithMatchesWhatItIsToldTo) {
  using enum SplitBehavior;
  const auto split = [](SplitBehavior behavior, bool invert, const std::string& pattern = "a") {
    std::string all;
    for (const auto piece : Splitter(pattern, "test", behavior, invert).split("abxxbaab"))
      all += "|" + std::string(piece);
    return all;
  };
  // As pre_tokenizers.Split of the library tokenizers 0.23.3 cuts.
  EXPECT_EQ(split(isolated, false), "|a|bxxb|a|a|b");
  EXPECT_EQ(split(isolated, true), "|a|bxxb|a|a|b");
  EXPECT_EQ(split(removed, false), "|bxxb|b");
  EXPECT_EQ(split(removed, true), "|a|a|a");
  EXPECT_EQ(split(merged_with_previous, false), "|a|bxxba|a|b");
  EXPECT_EQ(split(merged_with_previous, true), "|abxxb|a|ab");
  EXPECT_EQ(split(merged_with_next, false), "|abxxb|a|ab");
  EXPECT_EQ(split(merged_with_next, true), "|a|bxxba|a|b");
  EXPECT_EQ(split(contiguous, false), "|a|bxxb|aa|b");
  EXPECT_EQ(split(contiguous, true), "|a|bxxb|aa|b");
  // Matches of no characters cut, too.
  EXPECT_EQ(split(isolated, false, "(?=b)"), "|a|bxx|baa|b");
  EXPECT_EQ(split(removed, true, "(?=b)"), "");
  EXPECT_EQ(split(removed, false, "x*"), "|a|b|b|a|a|b");
  EXPECT_EQ(split(merged_with_previous, true, "x*"), "|a|b|xxb|a|a|b");
  EXPECT_EQ(split(merged_with_next, false, "b|"), "|a|bx|x|ba|a|b");
  EXPECT_EQ(split(contiguous, true, ""), "|a|b|x|x|b|a|a|b");
}

// U+180E is no white space to Oniguruma; U+31350 is a letter since Unicode 15; sets stand in sets.
TEST(Splitter, ReadsPatternsAsOnigurumaDoes) {
  EXPECT_EQ(Splitter(R"(\s)", "test", SplitBehavior::removed, true).split("\xE1\xA0\x8E\xC2\x85").size(), 1u);
  EXPECT_EQ(Splitter(R"(\p{L}+)", "test", SplitBehavior::removed, true)
                .split("a\xF0\xB1\x8D\x90"
                       "b")
                .size(),
            1u);
  EXPECT_EQ(Splitter("[x[.,]]+", "test", SplitBehavior::removed, true).split("a,x.b"),
            (std::vector<std::string_view>{",x."}));
  EXPECT_EQ(Splitter("(?=a)|b", "test", SplitBehavior::removed, true)
                .split("\xC3\xA9"
                       "ab"),
            (std::vector<std::string_view>{"b"}));
}

}  // namespace
}  // namespace compeer::language
