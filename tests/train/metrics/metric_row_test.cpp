#include "train/metrics/metric_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace compeer::train {
namespace {

TEST(MetricRow, IsNotANumberUntilSet) {
  const std::vector<std::string> columns{"a", "b"};
  MetricRow row(columns);
  row.set("b", 2);
  EXPECT_TRUE(std::isnan(row.get("a")));
  EXPECT_EQ(row.get("b"), 2);
  EXPECT_TRUE(row.has("b"));
  EXPECT_FALSE(row.has("c"));
  EXPECT_THROW(row.set("c", 1), std::logic_error);
}

TEST(MetricRow, NamesAMetricThatWasNotDeclared) {
  const std::vector<std::string> columns{"a"};
  MetricRow row(columns);
  try {
    row.set("c", 1);
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "metric 'c' was not declared");
  }
}

}  // namespace
}  // namespace compeer::train
