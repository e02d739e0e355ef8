#include "base/text.h"

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

TEST(RefuseUtf16, NamesTheCommandThatConvertsTheFile) {
  const auto refused = [](std::string_view text) {
    try {
      refuse_utf16(text, "a.jsonl");
    } catch (const Error& error) {
      return error.problem() + "|" + error.help();
    }
    return std::string();
  };
  using namespace std::string_view_literals;
  const std::string utf16 = "is text in UTF-16, not in UTF-8|convert it: iconv -f UTF-16";
  EXPECT_EQ(refused("\xFF\xFE{\0"sv), utf16 + " -t UTF-8 a.jsonl >a.jsonl.utf8");
  EXPECT_EQ(refused("\xFE\xFF\0{"sv), utf16 + " -t UTF-8 a.jsonl >a.jsonl.utf8");
  EXPECT_EQ(refused("{\0\"\0"sv), utf16 + "LE -t UTF-8 a.jsonl >a.jsonl.utf8");
  EXPECT_EQ(refused("\0{\0\""sv), utf16 + "BE -t UTF-8 a.jsonl >a.jsonl.utf8");
  for (const auto text : {""sv, "\xFF"sv, "{\0"sv, "{\0\0\0"sv, "{\"id\""sv, "\xEF\xBB\xBF{"sv})
    EXPECT_EQ(refused(text), "");
}

}  // namespace
}  // namespace compeer
