#include "corpora/json_records.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "base/error.h"

namespace compeer::corpora {
namespace {

// "1@0 {...}" for a record, "2@9! why" for one that can't be.
std::vector<std::string> records(const std::string& text) {
  const auto file = std::filesystem::path(testing::TempDir()) / ("records_" + std::to_string(::getpid()));
  std::ofstream(file, std::ios::binary) << text;
  std::vector<std::string> all;
  each_json_record(file, [&](const Raw& raw) {
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
  EXPECT_EQ(records(""), (All{"1@0! is not there: the file is empty"}));
  EXPECT_EQ(records("[{}"), (All{"1@1 {}", "2@3! is not there: the list does not end, as if the file were cut off"}));
  EXPECT_EQ(records("[{},{\"a"), (All{"1@1 {}", "2@7! is not whole: the file ends within it, as if cut off"}));
  EXPECT_EQ(records("{}\n{\"a"), (All{"1@0 {}", "2@6! is not whole: the file ends within it, as if cut off"}));
  EXPECT_EQ(records("{}\n{\"a\n"), (All{"1@0 {}", "2@3 {\"a"})) << "a line that is no JSON, but ends";
  EXPECT_EQ(records("{}\n{\"a\":1]"), (All{"1@0 {}", "2@3 {\"a\":1]"})) << "wrong up to its last character";
  EXPECT_EQ(records("{}\n9E999:"), (All{"1@0 {}", "2@3 9E999:"})) << "a number that no reader can hold";
}

TEST(JsonRecords, LoseOnlyTheBrokenOne) {
  // The closing quote of "b" is missing: its text ends with its line, and the next record is whole.
  EXPECT_EQ(records("[\n{\"a\": 1,\n\"t\": \"b\n},\n{\"c\": 2}\n]"),
            (All{"1@2 {\"a\": 1,\n\"t\": \"b\n}", "2@22 {\"c\": 2}"}));
  EXPECT_EQ(records("[1] 2 3"), (All{"1@1 1", "2@4! stands behind the end of the list"}));
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
  // Two in a row, the second at the end of what was read; and one at the end of a file that is cut off.
  EXPECT_EQ(records("[" + first + R"(,{"id":2,{"id":3,)" + last + "]"),
            (All{"1@1 " + first, R"(2@20 {"id":2)", R"(3@28 {"id":3)", "4@36 " + last}));
  EXPECT_EQ(records("[" + first + R"(,{"id":2,)" + last),
            (All{"1@1 " + first, R"(2@20 {"id":2)", "3@28 " + last,
                 "4@" + std::to_string(28 + last.size()) +
                     "! is not there: the list does not end, as if the file were cut off"}));
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
    each_json_record("/nowhere/x.json", [](const Raw&) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/nowhere/x.json: can't be read: No such file or directory");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST(JsonRecords, OfAFailingDiskAreNoEnd) {
  try {
    each_json_record("/proc/self/mem", [](const Raw&) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "can't be read: Input/output error");
    EXPECT_EQ(error.exit(), Exit::failure);
  }
}

}  // namespace
}  // namespace compeer::corpora
