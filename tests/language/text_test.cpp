#include "language/text.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "language/splitter.h"
#include "language/vocabulary.h"

namespace compeer::language {
namespace {

TEST(ValidUtf8, KeepsWhatIsValid) {
  EXPECT_EQ(valid_utf8("a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x99\x82"), "a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x99\x82");
}

// One U+FFFD for each maximal invalid subsequence, as Unicode recommends and Python does.
TEST(ValidUtf8, ReplacesBrokenBytes) {
  EXPECT_EQ(valid_utf8("\xFF"), "\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("a\xE4\xBD"), "a\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xE4\xBDz"), "\xEF\xBF\xBDz");
  EXPECT_EQ(valid_utf8("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Normalize, ComposesAccents) { EXPECT_EQ(normalize("e\xCC\x81"), "\xC3\xA9"); }

// The combining class of U+0316 (below) is smaller than that of U+0301 (above), so U+0316 comes first.
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
  EXPECT_EQ(take_complete_characters(bytes), "a");
  bytes += "\xA0z\xF0\x9F\xFF";
  EXPECT_EQ(take_complete_characters(bytes), "\xE4\xBD\xA0z\xEF\xBF\xBD\xEF\xBF\xBD");
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
  // Expected: pre_tokenizers.Split of the Python library tokenizers 0.23.3.
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
  // Empty matches also split.
  EXPECT_EQ(split(isolated, false, "(?=b)"), "|a|bxx|baa|b");
  EXPECT_EQ(split(removed, true, "(?=b)"), "");
  EXPECT_EQ(split(removed, false, "x*"), "|a|b|b|a|a|b");
  EXPECT_EQ(split(merged_with_previous, true, "x*"), "|a|b|xxb|a|a|b");
  EXPECT_EQ(split(merged_with_next, false, "b|"), "|a|bx|x|ba|a|b");
  EXPECT_EQ(split(contiguous, true, ""), "|a|b|x|x|b|a|a|b");
}

// In Oniguruma U+180E is not white space, U+31350 is a letter (Unicode 15), and character sets can be nested.
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

std::string text_of(char letter, size_t count) { return std::string(count, letter); }

std::string refused(const std::string& pattern, const std::string& text) {
  try {
    Splitter(pattern, "tokenizer.json").split(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    return error.what();
  }
  return "taken";
}

// Each of these would take minutes or more.
TEST(Splitter, EndsWhatTakesTooManySteps) {
  const std::string help = "\n  help: use a tokenizer whose pattern needs less backtracking";
  EXPECT_EQ(refused("[a-z]{1,60000}(?<=a{60000})", text_of('b', 5000)),
            "tokenizer.json: the split pattern takes too many steps on a text of 5000 bytes" + help);
  EXPECT_EQ(refused("[a-z]{1,60000}(?<=\\x{61}{60000})", text_of('b', 5000)),
            "tokenizer.json: the split pattern takes too many steps on a text of 5000 bytes" + help);
  for (const char* pattern : {"(a+)+[01]", "(?:[a-z]+)(?=[a-z]*[01])", "[a-z]+[ab]{20000}[01]", "(a+)\\1[01]",
                              "(?=(a+))a*b\\1[01]|[a-z]+[a-z]+[01]", "(?:a|b|ab)+(?:a|b)+[01]", "a*a*a*a*[01]"})
    EXPECT_EQ(refused(pattern, text_of('a', 50000)),
              "tokenizer.json: the split pattern takes too many steps on a text of 50000 bytes" + help)
        << pattern;
}

// The patterns of GPT-2, Qwen, o200k and DeepSeek on texts of a megabyte.
TEST(Splitter, CutsLongTextsWithThePatternsOfRealTokenizers) {
  const std::string marks = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
  const std::vector<std::string> patterns{
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
      marks + R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)" + marks +
          R"(?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)" + marks +
          R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
      R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
  std::vector<std::string> texts;
  for (const char letter : {'a', 'A', ' ', '\n', '7', '.', '\''}) texts.push_back(text_of(letter, 1 << 20));
  texts.push_back(text_of(' ', 1 << 20) + "a");
  for (const std::string unit : {"aA", " a", " \n", "\xE6\x88\x91", "\xCC\x81", "1.", "I feel alone in 2024.\n"}) {
    texts.emplace_back();
    while (texts.back().size() < 1 << 20) texts.back() += unit;
  }
  for (const auto& pattern : patterns) {
    const Splitter splitter(pattern, "tokenizer.json");
    for (const auto& text : texts) {
      size_t bytes = 0;
      for (const auto piece : splitter.split(text)) bytes += piece.size();
      EXPECT_EQ(bytes, text.size()) << pattern << " on " << text.substr(0, 20);
    }
  }
}

}  // namespace
}  // namespace compeer::language
