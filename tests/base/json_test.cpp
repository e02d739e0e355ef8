#include "base/json.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../record/temporary_folder.h"
#include "base/files.h"
#include "base/random.h"

namespace compeer {
namespace {

using nlohmann::json;
using record::complaint;

void expect_same(const std::string& text) {
  const json expected = json::parse(text, nullptr, false), read = parse_json(text);
  ASSERT_EQ(read.is_discarded(), expected.is_discarded()) << text;
  if (expected.is_discarded()) return;
  EXPECT_EQ(read.dump(), expected.dump()) << text;
  EXPECT_EQ(read.type(), expected.type()) << text;
}

const std::vector<std::string> texts = {
    R"({"id": "a/1", "turns": [{"role": "user", "text": "I \"am\" sad.\n\\ \/ \b\f\r\t"}], "n": [0, 7, -3, 1.5e3]})",
    R"([true, false, null, [], {}, "", [[{}]], 123456789012345678, 18446744073709551615, 18446744073709551616])",
    R"({"b": 1, "a": 2, "b": {"c": [3]}, "é": "我很难过 😀", "\u00e9": "\u4f60\ud83d\ude00", "a": 4})",
    R"(  {"x" : -0 , "y" : 0.1 , "z" : 1E-7 , "w" : -0.0 , "v": 1e999}  )",
};

TEST(ParseJson, IsWhatTheLibraryMakesOfIt) {
  for (const auto& text : texts) expect_same(text);
  for (const char* text :
       {"",        " ",   "{",         "[1,]",        "{\"a\":1,}", "01",       "-",        "1.",    "tru",
        "nulls",   "\"a", "\"\\u12\"", "\"\\ud800\"", "\"\\x\"",    "\"a\nb\"", "\"\xff\"", "[1] 2", "\xEF\xBB\xBF[1]",
        "1e5",     "-01", "[1 2]",     "{\"a\" 1}",   "{1: 2}",     "\"\\\"",   "\"\\\\\"", "+1",    ".5",
        "\"\x7f\""})
    expect_same(text);
}

TEST(ParseJson, KeepsTheKindsOfNumbers) {
  const json read = parse_json("[7, -7, 7.0, 12345678901234567890]");
  EXPECT_TRUE(read[0].is_number_unsigned());
  EXPECT_TRUE(read[1].is_number_integer() && !read[1].is_number_unsigned());
  EXPECT_TRUE(read[2].is_number_float());
  EXPECT_TRUE(read[3].is_number_unsigned());
}

TEST(ParseJson, LeavesDeepNestingToTheLibrary) {
  for (const size_t depth : {10u, 64u, 65u, 66u, 256u}) expect_same(std::string(depth, '[') + std::string(depth, ']'));
}

// The JSON library would parse this, but copying the value would overflow the stack.
TEST(ParseJson, RefusesWhatNestsTooDeeply) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(257)).is_discarded());
  EXPECT_TRUE(parse_json(R"({"a":)" + nested(1'000'000) + "}").is_discarded());
  EXPECT_TRUE(parse_json(std::string(100'000, '[')).is_discarded());
  EXPECT_FALSE(nests_too_deeply(R"({"a": "[[[[ \" [[[[", "b": [[1], [2], [3]]})", 3)) << "texts do not count";
}

TEST(Whole, IsNoFractionAndFits) {
  const auto read = [](const char* text) { return get_integer<int64_t>(nlohmann::json::parse(text)); };
  EXPECT_EQ(read("-7"), -7);
  EXPECT_EQ(read("8.0"), 8) << "as some programs write it";
  EXPECT_EQ(get_integer<int>(nlohmann::json(7.0)), 7);
  for (const char* none : {"1.5", "1e300", "-1e300", "\"8\"", "null"})
    EXPECT_THROW(read(none), nlohmann::json::type_error) << none;
}

// For text changed in one byte or cut at any point: the same results and refusals as the JSON library.
TEST(ParseJson, IsTheLibrarysOnDamagedText) {
  constexpr std::string_view bytes = "{}[]\",:\\/0123456789.eE+-truefalsnl \n\x01\x80\xC3\xE4\xF0\xFF";
  for (uint32_t t = 0; t < texts.size(); ++t) {
    const std::string& text = texts[t];
    for (size_t cut = 0; cut <= text.size(); ++cut) expect_same(text.substr(0, cut));
    for (uint32_t trial = 0; trial < 3000; ++trial) {
      std::string changed = text;
      for (uint32_t k = 0; k < 1 + trial % 3; ++k) {
        const auto drawn = philox({t, trial, k, 0}, {20, 0});
        changed[drawn[0] % changed.size()] = bytes[drawn[1] % bytes.size()];
      }
      expect_same(changed);
    }
  }
}

template <class Json>
class StrictJson : public testing::Test {};
using Kinds = testing::Types<nlohmann::json, nlohmann::ordered_json>;
TYPED_TEST_SUITE(StrictJson, Kinds);

TYPED_TEST(StrictJson, IsWhatTheLibraryReads) {
  for (const char* text :
       {"7", "[]", "[[1,-2,2.5,true,null],{\"b\":\"x\",\"a\":[{}]}]", "{\"a\":{\"a\":{}},\"b\":{\"a\":1}}"})
    EXPECT_EQ(parse_strict_json<TypeParam>(text, "").dump(), TypeParam::parse(text).dump());
}

TYPED_TEST(StrictJson, RefusesWhatCouldBeMeantInTwoWays) {
  const auto told = [](const std::string& text) {
    return complaint([&] { parse_strict_json<TypeParam>(text, "a.jsonl:3"); });
  };
  EXPECT_TRUE(told("{\"a\": 1").starts_with("a.jsonl:3: is not valid JSON: parse error at line 1, column "));
  EXPECT_TRUE(told("{} {}").starts_with("a.jsonl:3: is not valid JSON: parse error at line 1, column "));
  EXPECT_EQ(told(std::string("{}\0", 3)), "a.jsonl:3: is not valid JSON: it contains a zero byte");
  EXPECT_EQ(told("{\"\xff\": 1}"), "a.jsonl:3: is not UTF-8");
  EXPECT_EQ(told("[{\"a\": 1, \"b\": {}, \"a\": 2}]"), "a.jsonl:3: has the key 'a' twice");
  EXPECT_EQ(told(std::string(64, '[') + std::string(64, ']')), "nothing");
  EXPECT_EQ(told(std::string(65, '[') + std::string(65, ']')), "a.jsonl:3: nests more than 64 levels");
  EXPECT_EQ(complaint([] { parse_json_object<TypeParam>("[]", "a.json"); }), "a.json: is not a JSON object");
}

TEST(JsonFile, IsReadFromPlainFilesOfModestSize) {
  const record::TemporaryFolder folder;
  const auto told = [&](const char* name) { return complaint([&] { read_json_object(folder / name); }); };
  write_file(folder / "config.json", R"({"a": [1]})");
  EXPECT_EQ(read_json_object(folder / "config.json"), nlohmann::json({{"a", {1}}}));
  std::filesystem::resize_file(folder / "config.json", uint64_t{1} << 40);  // sparse: takes no space
  EXPECT_EQ(told("config.json"), "config.json: is larger than 67108864 bytes");
  ASSERT_EQ(::mkfifo((folder / "pipe.json").c_str(), 0600), 0);
  EXPECT_EQ(told("pipe.json"), "pipe.json: is a pipe or a device, not a file");
}

}  // namespace
}  // namespace compeer
