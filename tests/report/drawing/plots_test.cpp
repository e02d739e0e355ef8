#include <gtest/gtest.h>

#include <regex>

#include "../sample_runs.h"
#include "report/drawing/plots.h"
#include "report/sections/curves.h"

namespace compeer::report {
namespace {

template <class Plot>
std::string drawn(const Plot& plot) {
  Markup out;
  draw(out, plot);
  return out.take();
}

size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Returns the y positions of the labels at line ends, sorted.
std::vector<double> label_places(const std::string& svg) {
  std::vector<double> at;
  const std::regex pattern("<text x=\"[^\"]*\" y=\"([^\"]*)\" text-anchor=\"start\" class=\"end-label\"");
  for (std::sregex_iterator i(svg.begin(), svg.end(), pattern), end; i != end; ++i) at.push_back(std::stod((*i)[1]));
  std::sort(at.begin(), at.end());
  return at;
}

LinePlot lines_ending_at(const std::vector<double>& ends) {
  LinePlot plot{"p", "quality", "step", {}};
  for (size_t i = 0; i < ends.size(); ++i)
    plot.lines.push_back(
        {"run " + std::to_string(i), "run " + std::to_string(i), i, {{1, 2, 3}, {0, 0.5, ends[i]}}, {}, {}});
  return plot;
}

TEST(PathData, IsRelativeWithOneDecimal) {
  EXPECT_EQ(path_data({{1, 2.25, 3}, {10, 9.96, 12}}), "M1,10l1.3,0 0.7,2");
  EXPECT_EQ(path_data({{5}, {-2}}), "M5-2");
  EXPECT_EQ(path_data({}), "");
}

TEST(PathData, RoundingErrorsDontAddUp) {
  Curve curve;
  for (int i = 0; i <= 1000; ++i) curve.x.push_back(i * 0.04), curve.y.push_back(0);
  double x = 0;
  const std::string data = path_data(curve);
  const std::regex number("([-0-9.]+),0");
  for (std::sregex_iterator i(data.begin(), data.end(), number), end; i != end; ++i) x += std::stod((*i)[1]);
  EXPECT_NEAR(x, 40, 0.05);
}

TEST(Shortened, CutsInTheMiddleAndBetweenCharacters) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(shortened("一二三四五六七", 5), "一二…六七");
}

TEST(LinePlot, LabelsNeverOverlapAndStayInside) {
  for (const auto& ends :
       {std::vector<double>{1, 1, 1, 1}, {0.5, 0.51, 0.52, 9}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}) {
    const auto at = label_places(drawn(lines_ending_at(ends)));
    ASSERT_EQ(at.size(), ends.size());
    for (size_t i = 1; i < at.size(); ++i) EXPECT_GE(at[i] - at[i - 1], 12.9);
    EXPECT_GE(at.front(), 10);
    EXPECT_LE(at.back(), 215);
  }
}

TEST(LinePlot, OfManyLinesNamesTheThreeHighestAndLowest) {
  std::vector<double> ends;
  for (int i = 0; i < 30; ++i) ends.push_back(i);
  const auto svg = drawn(lines_ending_at(ends));
  EXPECT_EQ(label_places(svg).size(), 6u);
  EXPECT_NE(svg.find(">run 29<"), std::string::npos);
  EXPECT_NE(svg.find(">run 0<"), std::string::npos);
  EXPECT_EQ(count(svg, "class=\"line\""), 30u);
}

TEST(LookLine, HasEveryLookAsItWasMeasured) {
  const std::vector<RunData> runs = {sample::validated(sample::sft("r", 60), 4, 24)};
  const auto& run = runs[0];
  const RunGroup kind{"r", "r", 0, {0}};
  const PlotLine line = plot_line(runs, kind, "validation/loss", resolution(runs, {kind}, 5));
  ASSERT_EQ(line.heavy.x.size(), 15u);
  EXPECT_EQ(line.heavy.x.front(), 4);
  EXPECT_EQ(line.heavy.x.back(), 60);
  EXPECT_EQ(line.heavy.y.back(), (*run.column("validation/loss"))[59]);
  EXPECT_TRUE(line.light.x.empty());
  EXPECT_EQ(line.ringed.x, (std::vector<double>{24}));
  EXPECT_EQ(line.ringed.y, (std::vector<double>{1.94}));
  const auto svg = drawn(LinePlot{"p", "loss", "step", {line}});
  EXPECT_EQ(count(svg, "r=\"2.4\""), 15u);
  EXPECT_EQ(count(svg, "class=\"ring\""), 1u);
}

TEST(LinePlot, CoversStepsThatNoLineReaches) {
  LinePlot plot = lines_ending_at({1});  // steps 1 to 3
  const auto place_of_last = [&] {
    const auto svg = drawn(plot);
    const size_t at = svg.rfind("<circle cx=\"") + 12;
    return std::stod(svg.substr(at));
  };
  const double before = place_of_last();
  plot.x_shown = {1, 5};  // about half of the width
  EXPECT_LT(place_of_last(), before - 100);
}

TEST(LookLine, OfSeveralSeedsIsTheirMeanWithEachBestLookRinged) {
  const std::vector<RunData> runs = {sample::validated(sample::sft("a", 60), 10, 20),
                                     sample::validated(sample::sft("b", 60), 10, 40)};
  const RunGroup kind{"r", "r", 0, {0, 1}};
  const PlotLine line = plot_line(runs, kind, "validation/loss", resolution(runs, {kind}, 5));
  ASSERT_EQ(line.heavy.y.size(), 6u);
  EXPECT_NEAR(line.heavy.y[1], 2.04, 1e-12);  // 1.94 and 1.94 + 0.01 * 20
  EXPECT_NEAR(line.band.high[1], 2.14, 1e-12);
  EXPECT_EQ(line.ringed.x, (std::vector<double>{20, 40}));
}

TEST(LinePlot, TellsScreenReadersWhatItShows) {
  const auto svg = drawn(lines_ending_at({1, 2}));
  EXPECT_NE(svg.find("role=\"img\" aria-labelledby=\"p-title\""), std::string::npos);
  EXPECT_NE(svg.find("<title id=\"p-title\">quality</title>"), std::string::npos);
}

TEST(LinePlot, ShowsARunOfOneRow) {
  LinePlot plot = lines_ending_at({1});
  plot.lines[0].heavy = {{1}, {0.5}};
  EXPECT_EQ(count(drawn(plot), "<circle"), 1u);
}

TEST(LinePlot, WithoutValuesDrawsNothing) {
  LinePlot plot = lines_ending_at({1});
  plot.lines[0].heavy = {};
  EXPECT_EQ(drawn(plot), "");
}

TEST(LinePlot, OneOutlierDoesNotFlattenTheRest) {
  LinePlot plot = lines_ending_at({1});
  for (int i = 0; i < 400; ++i)
    plot.lines[0].light.x.push_back(1 + i / 200.0), plot.lines[0].light.y.push_back(i == 7 ? 1e6 : 0.5);
  EXPECT_EQ(drawn(plot).find("×10"), std::string::npos);  // the axis is still scaled around 1
}

TEST(DotPlot, DrawsMeanIntervalAndBaseline) {
  DotPlot plot{"d",
               "reward",
               {{"Greedy", {{"a", "a", 0, {1, 0.9, 1.1, 9}}, {"b", "b", 1, {2, 1.9, 2.1, 9}}, {"c", "c", 2, {}}}}}};
  const auto svg = drawn(plot);
  EXPECT_EQ(count(svg, "<circle"), 2u);  // the third dot has no value
  EXPECT_EQ(count(svg, "class=\"baseline\""), 1u);
  EXPECT_NE(svg.find("<title>a: 1.00 [0.90, 1.10]</title>"), std::string::npos);
  plot.groups[0].rows.resize(0);
  EXPECT_EQ(drawn(plot), "");
}

TEST(LinePlot, OfOnePointDrawsItsIntervalsAsACross) {
  LinePlot plot{"p", "quality", "distinct", {{"a", "a", 12, {}, {}, {}}}};
  add_point(plot.lines[0], 0.1, {0.7, 0.6, 0.8, 9});
  plot.lines[0].across = {0.1, 0.05, 0.15, 9};
  plot.lines[0].points = true;
  plot.whole_steps = false;
  const auto svg = drawn(plot);
  EXPECT_EQ(count(svg, "class=\"interval\""), 2u);
  EXPECT_EQ(count(svg, "<circle"), 1u);
}

TEST(PlotLines, OfSeveralSeedsHaveABand) {
  const auto runs = sample::sweep(2, 3, 30);
  const auto kinds = run_groups(runs, Lineage(runs), {0, 1, 2, 3, 4, 5});
  const PlotLine line = plot_line(runs, kinds[0], "reward", resolution(runs, kinds, 1));
  EXPECT_EQ(line.heavy.x.size(), 30u);
  EXPECT_EQ(line.band.low.size(), 30u);
  EXPECT_TRUE(line.light.x.empty());
}

TEST(PlotLines, HaveFewerPointsTheMoreThereAre) {
  const auto few = sample::sweep(2, 1, 1000), many = sample::sweep(50, 1, 1000);
  std::vector<size_t> all;
  for (size_t i = 0; i < many.size(); ++i) all.push_back(i);
  const auto coarse = run_groups(many, Lineage(many), all), fine = run_groups(few, Lineage(few), {0, 1});
  EXPECT_EQ(plot_line(few, fine[0], "reward", resolution(few, fine, 20)).heavy.x.size(), 320u);
  EXPECT_LE(plot_line(many, coarse[0], "reward", resolution(many, coarse, 20)).heavy.x.size(), 90u);
  EXPECT_EQ(resolution(many, coarse, 20).light, 0u);
}

TEST(PlotLines, NeverSmoothASchedule) {
  const std::vector<RunData> runs = {sample::sft("s", 100)};
  const auto kinds = run_groups(runs, Lineage(runs), {0});
  EXPECT_EQ(plot_line(runs, kinds[0], "lr", resolution(runs, kinds, 3)).heavy.y, *runs[0].column("lr"));
}

}  // namespace
}  // namespace compeer::report
