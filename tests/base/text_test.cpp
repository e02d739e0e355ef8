#include "base/text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/data_uri.h"
#include "base/error.h"

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

// A naive search would take minutes: 2 million times 2 million comparisons.
TEST(FindText, EndsForTextsThatAreAlmostAlike) {
  const std::string half(2'000'000, 'a');
  EXPECT_EQ(find_text(half + half, half + "b"), std::string::npos);
  EXPECT_EQ(find_last_text(half + half, "b" + half), std::string::npos);
}

using namespace std::string_literals;

TEST(Packed, GivesBackTextsOfAnyBytesAndSizes) {
  const std::vector<std::string> texts{"",
                                       "a\0b"s,
                                       "\xff\xfe",
                                       std::string(127, 'x'),
                                       std::string(128, 'y'),
                                       std::string(16383, 'z'),
                                       std::string(16384, '\x80'),
                                       std::string(3000000, '\xff'),
                                       ""};
  std::string bytes;
  for (const auto& text : texts) put_packed(text, bytes);
  std::string_view rest = bytes;
  for (const auto& text : texts) EXPECT_EQ(take_packed(rest), text);
  EXPECT_TRUE(rest.empty());
}

TEST(Packed, PutsAByteBeforeAShortTextAndTwoBeforeALongerOne) {
  std::string bytes;
  put_packed("ab", bytes);
  EXPECT_EQ(bytes,
            "\x02"
            "ab");
  bytes.clear();
  put_packed(std::string(300, 'x'), bytes);  // 300 = 2 * 128 + 44
  EXPECT_EQ(bytes.substr(0, 3), "\xac\x02x");
}

TEST(Packed, RefusesWhatIsCutShortAnywhere) {
  std::string bytes;
  put_packed(std::string(300, 'x'), bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string_view rest(bytes.data(), size);
    EXPECT_THROW(take_packed(rest), std::runtime_error) << size;
  }
}

TEST(Packed, RefusesASizeThatNoTextHas) {
  const std::string bytes = std::string(20, '\xff') + "text";
  std::string_view rest = bytes;
  EXPECT_THROW(take_packed(rest), std::runtime_error);
}

std::filesystem::path file(const std::string& name, const std::string& bytes) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// Base64 worked out by hand from RFC 4648: 89 50 4e | 47 0d 0a | 1a 0a 66
TEST(DataUri, IsThePicturesBytesInBase64) {
  EXPECT_EQ(data_uri(file("uri.png", "\x89PNG\r\n\x1a\nf")), "data:image/png;base64,iVBORw0KGgpm");
  EXPECT_EQ(data_uri(file("uri.jpg", "\xff\xd8\xff\xe0")), "data:image/jpeg;base64,/9j/4A==");
}

TEST(DataUri, RefusesWhatIsNoPicture) {
  try {
    data_uri(file("uri.txt", "GIF89a"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("uri.txt: is not a picture"), std::string::npos) << error.what();
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

}  // namespace
}  // namespace compeer
