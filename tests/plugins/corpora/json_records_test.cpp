#include "corpora/json_records.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "base/error.h"
#include "corpora/csv.h"
#include "corpora/fields.h"

namespace compeer::corpora {
namespace {

// Returns "1@0 {...}" for a record (number, offset, bytes), "2@9! problem" for a malformed one.
std::vector<std::string> records(const std::string& text) {
  const auto file = std::filesystem::path(testing::TempDir()) / ("records_" + std::to_string(::getpid()));
  std::ofstream(file, std::ios::binary) << text;
  std::vector<std::string> all;
  each_json_record(file, [&](const RawRecord& raw) {
    all.push_back(std::to_string(raw.number) + "@" + std::to_string(raw.offset) +
                  (raw.problem.empty() ? " " + std::string(raw.bytes) : "! " + raw.problem));
  });
  std::filesystem::remove(file);
  return all;
}

using All = std::vector<std::string>;

TEST(JsonRecords, ReadsLists) {
  EXPECT_EQ(records("[ {\"a\": \"]}\\\"\"}, [1, [2]],\n\"x,y\", 3,null ]\n"),
            (All{"1@2 {\"a\": \"]}\\\"\"}", "2@17 [1, [2]]", "3@27 \"x,y\"", "4@34 3", "5@36 null"}));
  EXPECT_EQ(records("[]"), All());
  EXPECT_EQ(records("\xEF\xBB\xBF [7]"), (All{"1@5 7"}));
}

TEST(JsonRecords, ReadsLinesAndCountsBlankOnes) {
  EXPECT_EQ(records("{\"a\":1}\n\n{\"b\":2}"), (All{"1@0 {\"a\":1}", "3@9 {\"b\":2}"}));
  EXPECT_EQ(records("\n{\"a\":1}\r\n"), (All{"2@1 {\"a\":1}\r"}));
}

TEST(JsonRecords, SayWhereAFileIsCutOff) {
  EXPECT_EQ(records(""), (All{"1@0! is missing: the file is empty"}));
  EXPECT_EQ(records("[{}"), (All{"1@1 {}", "2@3! is missing: the list does not end, as if the file were cut off"}));
  EXPECT_EQ(records("[{},{\"a"), (All{"1@1 {}", "2@7! is incomplete: the file ends within it, as if cut off"}));
  EXPECT_EQ(records("{}\n{\"a"), (All{"1@0 {}", "2@6! is incomplete: the file ends within it, as if cut off"}));
  EXPECT_EQ(records("{}\n{\"a\n"), (All{"1@0 {}", "2@3 {\"a"})) << "a line that is no JSON, but ends";
  EXPECT_EQ(records("{}\n{\"a\":1]"), (All{"1@0 {}", "2@3 {\"a\":1]"})) << "wrong up to its last character";
  EXPECT_EQ(records("{}\n9E999:"), (All{"1@0 {}", "2@3 9E999:"})) << "a number that no reader can hold";
}

TEST(JsonRecords, LoseOnlyTheBrokenOne) {
  // The closing quote of "b" is missing: its string ends at the end of the line, and the next record is intact.
  EXPECT_EQ(records("[\n{\"a\": 1,\n\"t\": \"b\n},\n{\"c\": 2}\n]"),
            (All{"1@2 {\"a\": 1,\n\"t\": \"b\n}", "2@22 {\"c\": 2}"}));
  EXPECT_EQ(records("[1] 2 3"), (All{"1@1 1", "2@4! follows the end of the list"}));
}

TEST(JsonRecords, FindTheNextWhereABracketOrQuoteIsMissing) {
  const std::string first = R"({"id":1,"t":["a"]})", last = R"({"id":4,"t":["{\"id\":"]})";
  const auto found = [&](const std::string& broken) {
    return records("[" + first + ", " + broken + ", " + last + "]");
  };
  for (const std::string broken :
       {R"({"id":2,"t":["b"])", R"({"id":2,"t":["b"})", R"({"id":2,"t":["b)", R"({"id":2,"t)"}) {
    const auto at = std::to_string(21 + broken.size() + 2);
    EXPECT_EQ(found(broken), (All{"1@1 " + first, "2@21 " + broken, "3@" + at + " " + last}));
  }
  // Two malformed records in a row, the second at the end of a block; and one at the end of a truncated file.
  EXPECT_EQ(records("[" + first + R"(,{"id":2,{"id":3,)" + last + "]"),
            (All{"1@1 " + first, R"(2@20 {"id":2)", R"(3@28 {"id":3)", "4@36 " + last}));
  EXPECT_EQ(records("[" + first + R"(,{"id":2,)" + last),
            (All{"1@1 " + first, R"(2@20 {"id":2)", "3@28 " + last,
                 "4@" + std::to_string(28 + last.size()) +
                     "! is missing: the list does not end, as if the file were cut off"}));
}

TEST(JsonRecords, FindTheNextWhereTheFirstIsBroken) {
  EXPECT_EQ(records(R"([{"id":1,{"id":2},{"id":3}])"), (All{R"(1@1 {"id":1)", R"(2@9 {"id":2})", R"(3@18 {"id":3})"}));
}

TEST(JsonRecords, AreNotTornWhereTheSameKeyIsInside) {
  const std::string nested = R"({"id":2,"more":[{"id":3}, {"id":4}]})";
  EXPECT_EQ(records(R"([{"id":1},)" + nested + "]"), (All{R"(1@1 {"id":1})", "2@10 " + nested}));
}

TEST(JsonRecords, NameAFileThatCannotBeRead) {
  try {
    each_json_record("/nowhere/x.json", [](const RawRecord&) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/nowhere/x.json: can't be read: No such file or directory");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST(JsonRecords, OfAFailingDiskAreNoEnd) {
  try {
    each_json_record("/proc/self/mem", [](const RawRecord&) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "can't be read: Input/output error");
    EXPECT_EQ(error.exit(), Exit::failure);
  }
}

// Returns "a|b" for a row with the fields a and b, "2! problem" for a malformed row 2.
std::vector<std::string> rows(const std::string& text) {
  std::vector<std::string> all;
  each_csv_row(text, [&](const CsvRow& row) {
    std::string line = row.problem.empty() ? "" : std::to_string(row.number) + "! " + row.problem;
    for (size_t i = 0; i < row.fields.size() && row.problem.empty(); ++i) line += (i ? "|" : "") + row.fields[i];
    all.push_back(line);
  });
  return all;
}

using Rows = std::vector<std::string>;

TEST(Csv, ReadsPlainAndQuotedFields) {
  EXPECT_EQ(rows("a,b\r\n\"00:54,097\",d\r\n"), (Rows{"a|b", "00:54,097|d"}));
  EXPECT_EQ(rows("a,\"he said \"\"no\"\"\"\n"), (Rows{"a|he said \"no\""}));
  EXPECT_EQ(rows("\"two\r\nlines\",b"), (Rows{"two\r\nlines|b"}));
  EXPECT_EQ(rows(",\n\"\",x"), (Rows{"|", "|x"}));
}

TEST(Csv, TakesEitherLineEndAndNone) {
  EXPECT_EQ(rows("a\nb\r\n\n\r\nc"), (Rows{"a", "b", "c"}));
  EXPECT_EQ(rows("\xEF\xBB\xBF"
                 "a,b\n"),
            (Rows{"a|b"}));
  EXPECT_EQ(rows(""), Rows());
}

TEST(Csv, NamesTheRowThatIsWrongAndGoesOn) {
  EXPECT_EQ(rows("a\nb\"c,d\ne"), (Rows{"a", "2! has a quote inside an unquoted field", "e"}));
  EXPECT_EQ(rows("a\n\"b\"c\nd"), (Rows{"a", "2! has text after a field's closing quote", "d"}));
  EXPECT_EQ(rows("a\n\xFF,b\nc"), (Rows{"a", "2! is not UTF-8 at byte 2 of the file", "c"}));
  EXPECT_EQ(rows("a\nb,\"c\nd"), (Rows{"a", "2! has a quote without a closing quote", "d"})) << "no other line is lost";
  EXPECT_EQ(rows("a\nb,\"c"), (Rows{"a", "2! is incomplete: the file ends within it, as if cut off"}));
}

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
  EXPECT_EQ(parsed("{\"a\": \"\xC4\xE3\"}"), "is not UTF-8 at byte 107 of the file");  // encoded as GBK
  EXPECT_EQ(parsed("{\"a\": \"\xE4\xBD"), "is not UTF-8 at byte 107 of the file");
  EXPECT_EQ(parsed(std::string("{}\0", 3)), "contains a zero byte, byte 102 of the file");
  EXPECT_EQ(parsed("{\"a\": tru}"), "is not JSON at byte 109 of the file");
  EXPECT_EQ(parsed("{\"a\": 1"), "is not JSON: it ends too early, as if cut off");
  EXPECT_EQ(parsed(""), "is not JSON: it ends too early, as if cut off");
  EXPECT_EQ(parsed("{\"a\": \"\\ud83d\"}").substr(0, 19), "is not JSON at byte");
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
  EXPECT_EQ(told(std::string("a\0b", 3)), "has the unknown speaker 'a\\u0000b', not one of usr");
  EXPECT_EQ(told("x" + std::string(39, 'y') + "z"),
            "has the unknown speaker 'x" + std::string(39, 'y') + "', not one of usr");
  EXPECT_EQ(told("来访者来访者来访者来访者来访者"),
            "has the unknown speaker '来访者来访者来访者来访者来', not one of usr");
}

TEST(Fields, MustBeThere) {
  const json object = {{"a", 1}, {"speaker", "bot"}};
  EXPECT_EQ(refusal([&] { text_of(object, "a"); }), "has no text 'a'");
  EXPECT_EQ(refusal([&] { list_of(object, "a"); }), "has no list 'a'");
  EXPECT_EQ(refusal([&] { object_of(object, "b"); }), "has no object 'b'");
  EXPECT_EQ(refusal([&] { text_of(json::array(), "a"); }), "is not a JSON object");
  EXPECT_EQ(refusal([&] {
              role_of(object, "speaker", {{"usr", Role::seeker}, {"sys", Role::supporter}});
            }),
            "has the unknown speaker 'bot', not one of usr, sys");
  EXPECT_EQ(refusal([] {
              each(json{"a", 1}, "line", [](const json& one, size_t) { text_of(one, "t"); });
            }),
            "line 1 is not a JSON object");
}

}  // namespace
}  // namespace compeer::corpora
