#include "language/splitter.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace compeer::language {
namespace {

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

// Each would take minutes and more.
TEST(Splitter, EndsWhatTakesTooManySteps) {
  const std::string help = "\n  help: use a tokenizer whose pattern repeats less and looks back less";
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

// Patterns of GPT-2, Qwen, o200k and DeepSeek on a megabyte of anything.
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
