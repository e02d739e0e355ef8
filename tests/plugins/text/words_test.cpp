#include "text/words.h"

#include <gtest/gtest.h>

namespace compeer::text {

namespace {

using Words = std::vector<std::string>;

TEST(Words, AreRunsOfLettersAndDigitsInLowerCase) {
  EXPECT_EQ(words("I hear you, Anna: 2 of 3!"), (Words{"i", "hear", "you", "anna", "2", "of", "3"}));
  EXPECT_EQ(words("don't"), (Words{"don", "t"}));
  EXPECT_EQ(words("snake_case"), (Words{"snake", "case"}));
}

TEST(Words, OfNothingAreNone) {
  EXPECT_EQ(words(""), Words{});
  EXPECT_EQ(words(" \t\n...?!"), Words{});
  EXPECT_EQ(words("\xe3\x80\x82\xef\xbc\x81"), Words{}) << "full-width punctuation";
}

TEST(Words, OfChineseAndJapaneseAreCharacters) {
  EXPECT_EQ(words("我很难过。OK吗"), (Words{"我", "很", "难", "过", "ok", "吗"}));
  EXPECT_EQ(words("かな"), (Words{"か", "な"}));
}

TEST(Words, KeepOtherLettersAsTheyAre) {
  EXPECT_EQ(words("Über «café» naïve\xc2\xa0Ω"), (Words{"Über", "café", "naïve", "Ω"}));
  EXPECT_EQ(words("한국어 말"), (Words{"한국어", "말"}));
}

TEST(Words, TakeBrokenBytesAsLetters) {
  EXPECT_EQ(words("a\xff b\xe4\xbd"), (Words{"a\xff", "b\xe4\xbd"}));
  EXPECT_EQ(words("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80"), (Words{"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}));
}

TEST(Characters, AreCodePoints) {
  EXPECT_EQ(characters(""), 0);
  EXPECT_EQ(characters("né我😀"), 4);
  EXPECT_EQ(characters("\xff\xe4\xbd"), 3) << "broken bytes count as one each";
}

TEST(Hash, TellsRunsOfWordsApart) {
  const Words a{"ab", "c"}, b{"a", "bc"};
  EXPECT_NE(hash(a.data(), a.data() + 2), hash(b.data(), b.data() + 2));
  EXPECT_EQ(hash(a.data() + 1, a.data() + 2), hash(&a[1], &a[1] + 1));
}

TEST(Hash, NeverChanges) {
  // FNV-1a of the bytes "a", 0x1F, then x ^= x >> 32; x *= 0x9E3779B97F4A7C15; x ^= x >> 32 (computed separately).
  const Words a{"a"};
  EXPECT_EQ(hash(a.data(), a.data() + 1), 0xB065D2466689AEA0U);
}

}  // namespace

}  // namespace compeer::text
