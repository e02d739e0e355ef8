#include "record/summary_text.h"

#include <gtest/gtest.h>

namespace compeer::record {
namespace {

using nlohmann::json;

json figure(double value, double low, double high) { return {{"value", value}, {"low", low}, {"high", high}}; }

TEST(FindingsText, IsATableOfTheColumnsForAllAndForEachGroup) {
  const json group = {{"n", 3}, {"points", figure(1, 0, 2.5)}, {"share", figure(0.125, 0, 1)}};
  json findings = group;
  findings.update({{"n", 10},
                   {"columns", {"points", "share"}},
                   {"kinds", {{"安静", group}, {"loud", group}}},
                   {"invalid", 2},
                   {"ends", {{"limit", 4}, {"goodbye", 1}}},
                   {"curves", {{"points", {{{"value", 40.0}}, {{"value", 1.256}}}}}}});
  EXPECT_EQ(findings_text(findings),
            "              n  points             share\n"
            "all          10  1.00 [0.00, 2.50]  0.12 [0.00, 1.00]\n"
            "kinds: loud   3  1.00 [0.00, 2.50]  0.12 [0.00, 1.00]\n"
            "kinds: 安静   3  1.00 [0.00, 2.50]  0.12 [0.00, 1.00]\n"
            "\n"
            "ends: goodbye 1, limit 4\n"
            "invalid: 2\n"
            "points: 40.00 1.26\n");
}

TEST(FindingsText, IsATableOfPairsWhereTheyHaveShares) {
  const json findings = {
      {"n", 4},
      {"shares", {"win", "lose"}},
      {"pairs", {{"a vs b", {{"n", 4}, {"win", figure(0.75, 0.5, 1)}, {"lose", figure(0.25, 0, 0.5)}}}}},
      {"models", {{"a", {{"strength", figure(0.5, 0, 1)}}}}}};
  EXPECT_EQ(findings_text(findings),
            "               n  win                lose               strength\n"
            "models: a                                               0.50 [0.00, 1.00]\n"
            "pairs: a vs b  4  0.75 [0.50, 1.00]  0.25 [0.00, 0.50]\n"
            "\n");
}

TEST(FindingsText, TellsWhatHasNoNumber) {
  const json none = {{"value", nullptr}, {"low", nullptr}, {"high", nullptr}};
  EXPECT_EQ(findings_text({{"n", 0}, {"columns", {"points"}}, {"points", none}}),
            "     n  points\n"
            "all  0  none\n"
            "\n");
  EXPECT_EQ(findings_text({{"n", 3}, {"kappa", figure(0.5, 0.25, 0.75)}}), "kappa: 0.50 [0.25, 0.75]\n")
      << "without columns there is no table";
  EXPECT_EQ(findings_text(json::object()), "");
}

}  // namespace
}  // namespace compeer::record
