#include "language/word_pieces.h"

#include <gtest/gtest.h>

namespace compeer::language {

namespace {

std::string cut(std::string_view text, const BertWording& wording = {}) {
  std::string joined;
  for (const auto& word : bert_words(text, wording)) joined += (joined.empty() ? "" : "|") + word;
  return joined;
}

TEST(BertWords, CutsAtWhiteSpaceAndPunctuation) {
  EXPECT_EQ(cut("How are you?  \tI'm fine..."), "how|are|you|?|i|'|m|fine|.|.|.");
  EXPECT_EQ(cut("a\u00a0b\u3000c\u2028d\r\ne"), "a|b|c|d|e");
  EXPECT_EQ(cut("a$b+c^d`e~f"), "a|$|b|+|c|^|d|`|e|~|f") << "marks of ASCII that Unicode calls symbols";
  EXPECT_EQ(cut("a€b"), "a€b") << "elsewhere symbols are no punctuation";
  EXPECT_EQ(cut("“a”—b…"), "“|a|”|—|b|…");
  EXPECT_EQ(cut(""), "");
  EXPECT_EQ(cut(" \n "), "");
}

TEST(BertWords, CutsChineseCharacterByCharacter) {
  EXPECT_EQ(cut("我很sad。"), "我|很|sad|。");
  EXPECT_EQ(cut("かな"), "かな") << "kana stay together";
  BertWording together;
  together.handle_chinese_chars = false;
  EXPECT_EQ(cut("我很sad", together), "我很sad");
}

TEST(BertWords, RemovesControlCharactersAndWhatIsNoText) {
  EXPECT_EQ(cut(std::string_view("a\0b\u200bc\u00add\x7f", 10)), "abcd");
  EXPECT_EQ(cut("a\xff\xfe b\xe4\xbd"), "a|b");
  BertWording dirty;
  dirty.clean_text = false;
  EXPECT_EQ(cut("a\u200bb\xff", dirty), "a\u200bb\uFFFD");
}

TEST(BertWords, RemovesAccentsAndCapitalsIfAsked) {
  EXPECT_EQ(cut("Café ÀÉÎ İ Ωμέγα Å"), "cafe|aei|i|ωμεγα|a");
  EXPECT_EQ(cut("e\u0301"), "e") << "marks that are characters of their own, too";
  BertWording accents;
  accents.strip_accents = false;
  EXPECT_EQ(cut("Café İ", accents), "café|i\u0307");
  BertWording cased{true, true, false, false};
  EXPECT_EQ(cut("Café", cased), "Café");
}

}  // namespace

}  // namespace compeer::language
