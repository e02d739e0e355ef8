#include "data/outcomes.h"

#include <gtest/gtest.h>

namespace compeer::data {
namespace {

using nlohmann::json;

std::string printed(const json& value) {
  std::string line = "> ";
  append_json(value, line);
  return line.substr(2);
}

TEST(Print, IsWhatTheLibraryPrints) {
  using namespace std::string_literals;
  for (const json& value :
       {json(), json(true), json(-3), json(18446744073709551615u), json(0.1), json(1e300), json(2.0), json(""),
        json("a \"quoted\" \\ text\nand more"), json("tab\tbell\a\x7f"), json("zero\0"s), json("我很难过。\n"),
        json("caf\u00e9 \U0001F600"), json::array(), json::object(), json{{"b", {1, {2, "x"}}}, {"a\"", nullptr}},
        json{{"求助者", {{"text", "x"}, {"labels", json::object()}}}, {"empty", json::array({json::array()})}}})
    EXPECT_EQ(printed(value), value.dump());
}

TEST(Print, RefusesTextThatIsNoUtf8) {
  EXPECT_THROW(printed(json{{"text", "\xff"}}), json::type_error);
  EXPECT_THROW(printed(json{{"\xc3", 1}}), json::type_error);
}

// Returns the number of records after which the limit is exceeded, if each portion of 10 records has `questions`
// questions and `malformed` of them are malformed; -1 if never.
int64_t ends_after(double share, int64_t records, int64_t questions, int64_t malformed) {
  UnreadableLimit unreadable(share, records);
  for (int64_t done = 0; done < records; done += 10) {
    if (unreadable.too_many_with({10, questions, malformed})) return unreadable.so_far().records;
  }
  return -1;
}

// A tenth of 40 is 4.
TEST(UnreadableLimit, IsClearOnceMoreAreMalformedThanAreAllowedOfAll) {
  EXPECT_EQ(ends_after(0.1, 40, 10, 5), 10);
  EXPECT_EQ(ends_after(0.1, 40, 10, 2), 30) << "4 of 20 are allowed, 6 of 30 are too many";
  EXPECT_EQ(ends_after(0.1, 40, 10, 1), -1) << "exactly what is allowed";
  EXPECT_EQ(ends_after(0, 1000, 10, 1), 10);
  EXPECT_EQ(ends_after(1, 1000, 10, 10), -1);
}

// Bounds: 0.1 + 3 sqrt(0.09 / 50) = 0.227; 0.1 + 3 sqrt(0.09 / 250) = 0.157, 0.1 + 3 sqrt(0.09 / 260) = 0.156.
TEST(UnreadableLimit, IsClearOnceTheShareIsFarAboveTheOneAllowed) {
  EXPECT_EQ(ends_after(0.1, 1000000, 10, 10), 50) << "not before 50 questions";
  EXPECT_EQ(ends_after(0.1, 1000000, 10, 3), 50);
  EXPECT_EQ(ends_after(0.1, 1000000, 10, 2), 90) << "0.2 > 0.1 + 3 sqrt(0.09 / 90) = 0.195";
  EXPECT_EQ(ends_after(0.1, 1000000, 10, 1), -1);
}

// Records without questions do not lower the number of questions expected for the remaining records.
TEST(UnreadableLimit, ExpectsAsManyQuestionsAsAnyPortionHad) {
  UnreadableLimit unreadable(0.1, 40);
  EXPECT_FALSE(unreadable.too_many_with({20, 0, 0}));
  EXPECT_FALSE(unreadable.too_many_with({10, 10, 2})) << "2 of 20";
  EXPECT_TRUE(unreadable.too_many_with({10, 5, 0})) << "2 of 15, now that all are known";
}

}  // namespace
}  // namespace compeer::data
