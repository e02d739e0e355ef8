#include "corpora/csv.h"

#include <gtest/gtest.h>

namespace compeer::corpora {
namespace {

// "a|b" for a row with the fields a and b, "2! why" for the row 2 that is none.
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
  EXPECT_EQ(rows("a\nb\"c,d\ne"), (Rows{"a", "2! has a quote within a field that does not begin with one", "e"}));
  EXPECT_EQ(rows("a\n\"b\"c\nd"), (Rows{"a", "2! has text behind a field's closing quote", "d"}));
  EXPECT_EQ(rows("a\n\xFF,b\nc"), (Rows{"a", "2! is not UTF-8 at byte 2 of the file", "c"}));
  EXPECT_EQ(rows("a\nb,\"c\nd"), (Rows{"a", "2! has a quote that nothing closes", "d"})) << "no other line is lost";
  EXPECT_EQ(rows("a\nb,\"c"), (Rows{"a", "2! is not whole: the file ends within it, as if cut off"}));
}

}  // namespace
}  // namespace compeer::corpora
