#include "corpora/fields.h"

#include <gtest/gtest.h>

namespace compeer::corpora {
namespace {

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const Refusal& refused) {
    return refused.what();
  }
  return "taken";
}

std::string parsed(const std::string& text) {
  return refusal([&] { parse(text, 100); });
}

TEST(Parse, SaysWhereTheTextBreaks) {
  EXPECT_EQ(parsed("{\"a\": \"\xE4\xBD\xA0\"}"), "taken");
  EXPECT_EQ(parsed("{\"a\": \"\xC4\xE3\"}"), "is not UTF-8 at byte 107 of the file");  // GBK
  EXPECT_EQ(parsed("{\"a\": \"\xE4\xBD"), "is not UTF-8 at byte 107 of the file");
  EXPECT_EQ(parsed(std::string("{}\0", 3)), "holds a zero byte, byte 102 of the file");
  EXPECT_EQ(parsed("{\"a\": tru}"), "is no JSON at byte 109 of the file");
  EXPECT_EQ(parsed("{\"a\": 1"), "is no JSON: it ends too early, as if cut off");
  EXPECT_EQ(parsed(""), "is no JSON: it ends too early, as if cut off");
  EXPECT_EQ(parsed("{\"a\": \"\\ud83d\"}").substr(0, 18), "is no JSON at byte");
  EXPECT_EQ(parsed(std::string(100000, '[')), "nests more than 64 levels");
  EXPECT_EQ(parsed("\"" + std::string(100, '[') + "\""), "taken");
}

TEST(Fields, MayBeMissing) {
  const json object = {{"a", " x\n"}, {"b", ""}, {"c", nullptr}, {"d", 3}, {"e", "4"}, {"f", json::array()}};
  EXPECT_EQ(label(object, "a"), "x");
  for (const char* key : {"b", "c", "f", "nowhere"}) EXPECT_TRUE(label(object, key).is_null()) << key;
  EXPECT_EQ(id_of(object, "a"), "x");
  EXPECT_EQ(id_of(object, "d"), "3");
  EXPECT_EQ(id_of(object, "nowhere"), "");
  EXPECT_EQ(scale(object, "d"), 3);
  EXPECT_EQ(scale(object, "e"), 4);
  EXPECT_TRUE(scale(object, "a").is_null());
}

TEST(Fields, OfLabelsMayBeMissingAltogether) {
  const json object = {{"a", nullptr}, {"b", {{"c", 1}}}, {"d", 5}};
  EXPECT_EQ(part_of(object, "a"), json::object());
  EXPECT_EQ(part_of(object, "nowhere"), json::object());
  EXPECT_EQ(part_of(object, "b").at("c"), 1);
  EXPECT_EQ(refusal([&] { part_of(object, "d"); }), "has no object 'd'");
}

TEST(Fields, ShowASpeakerInFewWholeCharacters) {
  const auto told = [](const std::string& name) {
    return refusal([&] { role_of({{"r", name}}, "r", {{"usr", Role::seeker}}); });
  };
  EXPECT_EQ(told(std::string("a\0b", 3)), "is by 'a\\u0000b', who is none of usr");
  EXPECT_EQ(told("x" + std::string(39, 'y') + "z"), "is by 'x" + std::string(39, 'y') + "', who is none of usr");
  EXPECT_EQ(told("来访者来访者来访者来访者来访者"), "is by '来访者来访者来访者来访者来', who is none of usr");
}

TEST(Fields, MustBeThere) {
  const json object = {{"a", 1}, {"speaker", "bot"}};
  EXPECT_EQ(refusal([&] { text_of(object, "a"); }), "has no text 'a'");
  EXPECT_EQ(refusal([&] { list_of(object, "a"); }), "has no list 'a'");
  EXPECT_EQ(refusal([&] { object_of(object, "b"); }), "has no object 'b'");
  EXPECT_EQ(refusal([&] { text_of(json::array(), "a"); }), "is no JSON object");
  EXPECT_EQ(refusal([&] {
              role_of(object, "speaker", {{"usr", Role::seeker}, {"sys", Role::supporter}});
            }),
            "is by 'bot', who is none of usr, sys");
  EXPECT_EQ(refusal([] {
              each(json{"a", 1}, "line", [](const json& one, size_t) { text_of(one, "t"); });
            }),
            "line 1 is no JSON object");
}

}  // namespace
}  // namespace compeer::corpora
