#include "report/sections/sweep.h"

#include <gtest/gtest.h>

namespace compeer::report {
namespace {

Sweep::Row row(std::vector<Sweep::Value> settings, Interval reward, size_t finished = 3, size_t failed = 0) {
  return {std::move(settings), {reward}, finished, failed};
}

Sweep by_alpha() {
  Sweep sweep;
  sweep.metrics = {"reward"};
  sweep.means.settings = {"alpha"};
  sweep.means.rows = {row({{"0.25", 0.25}}, {1, 0.5, 1.5, 3}), row({{"0.5", 0.5}}, {2, 1.5, 2.5, 3}, 2, 1),
                      row({{"1.0", 1.0}}, {3, 2.5, 3.5, 3})};
  return sweep;
}

std::string written(const Sweep& sweep) {
  Markup out;
  write_sweep(out, sweep);
  return out.take();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(WriteSweep, DrawsALineWithABandOverNumbers) {
  const auto html = written(by_alpha());
  EXPECT_TRUE(has(html, "class=\"band\""));
  EXPECT_TRUE(has(html, ">0.25<") || has(html, ">0.4<")) << html;  // ticks between whole numbers
  EXPECT_TRUE(has(html, "2 of 3"));
  EXPECT_FALSE(has(html, "difference"));
}

TEST(WriteSweep, DrawsDotsForNames) {
  auto sweep = by_alpha();
  for (auto& one : sweep.means.rows) one.settings[0].number = missing;
  EXPECT_FALSE(has(written(sweep), "class=\"band\""));
  EXPECT_TRUE(has(written(sweep), "class=\"row-label\""));
}

TEST(WriteSweep, DrawsAHeatMapOverTwoSettings) {
  Sweep sweep;
  sweep.metrics = {"reward"};
  sweep.means.settings = {"lr", "beta"};
  sweep.means.rows = {row({{"0.1", 0.1}, {"0", 0}}, {1, 0.5, 1.5, 3}),
                      row({{"0.01", 0.01}, {"0", 0}}, {2, 1.5, 2.5, 3}),
                      row({{"0.1", 0.1}, {"1", 1}}, {3, missing, missing, 1}, 1)};
  const auto html = written(sweep);
  EXPECT_TRUE(has(html, "class=\"heat\""));
  EXPECT_TRUE(has(html, "±0.5<"));
  EXPECT_FALSE(has(html, "class=\"band\""));
  EXPECT_LT(html.find(">0.01<"), html.find(">0.1<"));  // numbers by size
  EXPECT_TRUE(has(html, "a single run has none"));
}

TEST(WriteSweep, SaysThatSingleRunsHaveNoIntervals) {
  auto sweep = by_alpha();
  for (auto& one : sweep.means.rows)
    one.metrics = {{one.metrics[0].mean, missing, missing, 1}}, one.finished = 1, one.failed = 0;
  const auto html = written(sweep);
  EXPECT_TRUE(has(html, "One run for each setting, so there are no intervals"));
  EXPECT_FALSE(has(html, "class=\"band\""));
}

TEST(WriteSweep, ShowsDifferencesFromZeroAndWhatIsLeftOut) {
  auto sweep = by_alpha();
  sweep.base = "plugin = <none>";
  sweep.paired_by = "seed";
  sweep.differences.settings = {"plugin"};
  sweep.differences.rows = {row({{"dra"}}, {0.5, 0.25, 0.75, 3}), row({{"redundancy"}}, {0.1, -0.1, 0.3, 3})};
  sweep.notes = {"x failed (exit 5): broken"};
  const auto html = written(sweep);
  EXPECT_TRUE(has(html, "plugin = &lt;none&gt;"));
  EXPECT_TRUE(has(html, "class=\"baseline-mean\""));
  EXPECT_TRUE(has(html, "+0.50"));
  EXPECT_TRUE(has(html, "<li>x failed (exit 5): broken</li>"));
}

}  // namespace
}  // namespace compeer::report
