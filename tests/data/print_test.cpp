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

}  // namespace
}  // namespace compeer::data
