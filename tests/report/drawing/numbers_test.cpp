#include "report/drawing/numbers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/drawing/markup.h"
#include "report/drawing/passages.h"
#include "report/drawing/series.h"

namespace compeer::report {
namespace {

TEST(Numbers, HaveATrueMinusSignAndFixedDecimals) {
  EXPECT_EQ(fixed(0.5614, 3), "0.561");
  EXPECT_EQ(fixed(-3.2, 2), "−3.20");
  EXPECT_EQ(fixed(-0.0001, 2), "0.00");  // no negative zero
  EXPECT_EQ(fixed(12345.678, 1), "12\u2009345.7");
  EXPECT_EQ(fixed(1234, 0), "1234");
  EXPECT_EQ(fixed(missing, 2), "–");
  EXPECT_EQ(fixed(-INFINITY, 2), "−∞");
}

TEST(Numbers, DifferencesAlwaysShowTheirSign) {
  EXPECT_EQ(fixed_signed(0.141, 3), "+0.141");
  EXPECT_EQ(fixed_signed(-0.141, 3), "−0.141");
  EXPECT_EQ(fixed_signed(missing, 3), "–");
}

TEST(Numbers, CompactKeepsThreeDigits) {
  EXPECT_EQ(compact(0), "0");
  EXPECT_EQ(compact(2.643), "2.64");
  EXPECT_EQ(compact(0.03125), "0.0312");
  EXPECT_EQ(compact(2e-4), "2×10⁻⁴");
  EXPECT_EQ(compact(9.999e-4), "1×10⁻³");
  EXPECT_EQ(compact(-1.5e7), "−1.5×10⁷");
  EXPECT_EQ(compact(1480), "1480");
  EXPECT_EQ(compact(45), "45");
}

TEST(Numbers, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(duration(4.23), "4.2 s");
  EXPECT_EQ(duration(42.3), "42 s");
  EXPECT_EQ(duration(185), "3 min 05 s");
  EXPECT_EQ(duration(7800), "2 h 10 min");
  EXPECT_EQ(duration(missing), "–");
}

TEST(Numbers, DecimalsFollowTheUncertainty) {
  EXPECT_EQ(decimals_for(0.021), 3);  // 0.021: two digits, because they are at most 35
  EXPECT_EQ(decimals_for(0.08), 2);   // one digit
  EXPECT_EQ(decimals_for(0.1), 2);
  EXPECT_EQ(decimals_for(5), 0);
  EXPECT_EQ(decimals_for(1e-12), 6);
  EXPECT_EQ(decimals_for(missing), 3);
}

TEST(Numbers, AColumnLinesUpByItsMedianInterval) {
  EXPECT_EQ(column_decimals({{0.5, 0.48, 0.52, 9}, {0.6, 0.58, 0.62, 9}, {0.7, 0.2, 1.2, 9}}), 3);
  EXPECT_EQ(column_decimals({{0.99999, 0.999989, 0.999991, 9}}), 5);  // at most five decimals
  EXPECT_EQ(column_decimals({{12.5, missing, missing, 0}}), 1);       // three digits without an interval
  EXPECT_EQ(column_decimals({}), 0);
}

TEST(Numbers, IntervalsStandInBrackets) {
  EXPECT_EQ(with_interval({0.561, 0.54, 0.582, 200}, 3), "0.561 [0.540, 0.582]");
  EXPECT_EQ(with_interval({0.561, missing, missing, 1}, 2), "0.56");
}

TEST(Ticks, AreRoundAndInside) {
  const auto at = ticks(0, 1, 5);
  ASSERT_EQ(at.size(), 6u);
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(at[i], 0.2 * i, 1e-12);
  EXPECT_EQ(tick_labels(ticks(0, 1, 5)), (std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(ticks(1, 80, 5), (std::vector<double>{20, 40, 60, 80}));
  for (const double tick : ticks(-0.37, 12.2, 6)) {
    EXPECT_GE(tick, -0.37);
    EXPECT_LE(tick, 12.2);
  }
}

TEST(ColumnDecimals, OfIntervalsWithoutWidthAreThoseOfTheMeans) {
  EXPECT_EQ(column_decimals({{0.2, 0.2 - 1e-17, 0.2 + 3e-17, 3}, {0.05, 0.05, 0.05, 3}}), 3);
}

TEST(Ticks, OfAnEmptyRangeAreItsOneValue) {
  EXPECT_EQ(ticks(3, 3, 5), (std::vector<double>{3}));
  EXPECT_TRUE(ticks(missing, 1, 5).empty());
}

TEST(Ticks, AreNeverMoreThanOneOverTheirLimit) {
  for (double high = 0.001; high < 1e6; high *= 1.37) EXPECT_LE(ticks(0, high, 5).size(), 6u) << high;
}

TEST(Ticks, OfVerySmallValuesArePowersOfTen) {
  EXPECT_EQ(tick_labels({0, 1e-5, 2e-5}), (std::vector<std::string>{"0", "1×10⁻⁵", "2×10⁻⁵"}));
  EXPECT_EQ(tick_labels({0.99998, 0.99999, 1.0}), (std::vector<std::string>{"0.99998", "0.99999", "1.00000"}));
  EXPECT_EQ(tick_labels({0, 5e-4, 1e-3}), (std::vector<std::string>{"0.0000", "0.0005", "0.0010"}));
}

TEST(AxisRange, StartsAtZeroOnlyWhereZeroIsNear) {
  EXPECT_EQ(axis_range(0.1, 1.0).low, 0);
  EXPECT_NEAR(axis_range(0.8, 1.0).low, 0.79, 1e-12);
  EXPECT_EQ(axis_range(-1.0, -0.1).high, 0);
}

TEST(AxisRange, OfOneValueHasAirAroundIt) {
  EXPECT_LT(axis_range(2, 2).low, 2);
  EXPECT_GT(axis_range(2, 2).high, 2);
  EXPECT_LT(axis_range(0, 0).low, axis_range(0, 0).high);
}

const std::string replaced = "\xEF\xBF\xBD";

TEST(Escape, LeavesNoMarkupInText) {
  EXPECT_EQ(escape("<script>alert(\"x\" & 'y')</script>"),
            "&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;");
}

TEST(Escape, KeepsEveryLanguage) { EXPECT_EQ(escape("你好 — naïve 🙂\n"), "你好 — naïve 🙂\n"); }

TEST(Escape, ReplacesWhatNoDocumentMayHold) {
  EXPECT_EQ(escape(std::string("a\0b", 3)), "a" + replaced + "b");
  EXPECT_EQ(escape("\x1B[31m"), replaced + "[31m");
  EXPECT_EQ(escape("\xFF"), replaced);
  EXPECT_EQ(escape("\xE4\xBD"), replaced + replaced);                 // a truncated character
  EXPECT_EQ(escape("\xC0\xBC"), replaced + replaced);                 // an overlong <
  EXPECT_EQ(escape("\xED\xA0\x80"), replaced + replaced + replaced);  // a surrogate
  EXPECT_EQ(escape("\xEF\xBF\xBF"), replaced + replaced + replaced);  // a non-character
}

TEST(Markup, ClosesWhatItOpens) {
  Markup out;
  {
    const auto row = out.open("tr", {{"class", "a\"b"}});
    out.element("td", {}, "1 < 2");
    out.empty("br");
  }
  EXPECT_EQ(out.take(), "<tr class=\"a&quot;b\"><td>1 &lt; 2</td><br/></tr>");
}

TEST(Markup, ClosesOnceWhenAScopeIsHandedOn) {
  Markup out;
  {
    auto first = out.open("p");
    const auto second = std::move(first);
    out.text("x");
  }
  EXPECT_EQ(out.take(), "<p>x</p>");
}

std::string joined(const std::vector<TaggedText>& passages) {
  std::string text;
  for (const auto& passage : passages) text += "[" + passage.name + ":" + passage.text + "]";
  return text;
}

TEST(ByTags, SetsStepsApartFromTheReply) {
  EXPECT_EQ(joined(by_tags("<history>a</history><emotion> b\n</emotion>\nThe reply.")),
            "[history:a][emotion:b][:The reply.]");
}

TEST(ByTags, LeavesWhatIsNoTagInTheText) {
  EXPECT_EQ(joined(by_tags("1 < 2 and <b never closed")), "[:1 < 2 and <b never closed]");
  EXPECT_EQ(joined(by_tags("<emotion>sad without an end")), "[:<emotion>sad without an end]");
  EXPECT_EQ(joined(by_tags("</emotion>stray")), "[:</emotion>stray]");
  EXPECT_EQ(joined(by_tags("<Not-A-Tag>x</Not-A-Tag>")), "[:<Not-A-Tag>x</Not-A-Tag>]");
  EXPECT_EQ(joined(by_tags("<")), "[:<]");
}

TEST(ByTags, ATagOpenedTwiceCountsFromTheSecond) { EXPECT_EQ(joined(by_tags("<a>1<a>2</a>3")), "[:<a>1][a:2][:3]"); }

TEST(ByTags, DropsEmptyPassages) { EXPECT_EQ(joined(by_tags(" <a></a> \n ")), ""); }

TEST(ByTags, KeepsTextBetweenTags) { EXPECT_EQ(joined(by_tags("x<a>1</a>y<a>2</a>")), "[:x][a:1][:y][a:2]"); }

TEST(ByTurns, ReadsChatMarkup) {
  EXPECT_EQ(
      joined(by_turns(
          "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi\nthere<|im_end|>\n<|im_start|>assistant\n")),
      "[system:Be kind.][user:Hi\nthere]");
}

TEST(ByTurns, TakesAnyOtherPromptWhole) {
  EXPECT_EQ(joined(by_turns("Once upon a time")), "[:Once upon a time]");
  EXPECT_EQ(joined(by_turns("")), "");
}

TEST(ByTurns, SurvivesBrokenMarkup) {
  EXPECT_EQ(joined(by_turns("<|im_start|>")), "");
  EXPECT_EQ(joined(by_turns("<|im_start|>user<|im_end|>")), "");
  EXPECT_EQ(joined(by_turns("<|im_start|>user\na<|im_start|>user\nb<|im_end|>")), "[user:a][user:b]");
}

TEST(Cut, EndsBetweenCharactersAndSaysWhatIsMissing) {
  EXPECT_EQ(cut("short", 10), "short");
  EXPECT_EQ(cut("你好吗", 4), "你 … (6 more bytes)");
}

Curve line(std::vector<double> y) {
  Curve curve{{}, std::move(y)};
  for (size_t i = 0; i < curve.y.size(); ++i) curve.x.push_back(static_cast<double>(i + 1));
  return curve;
}

TEST(Smoothing, WindowIsOddAndFivePercent) {
  EXPECT_EQ(smoothing_window(19), 1u);
  EXPECT_EQ(smoothing_window(20), 5u);
  EXPECT_EQ(smoothing_window(80), 5u);
  EXPECT_EQ(smoothing_window(1000), 51u);
}

TEST(Smoothing, AveragesWhatExistsNearTheEnds) {
  // window 3: (1+2)/2, (1+2+6)/3, (2+6)/2
  EXPECT_EQ(smooth({1, 2, 6}, 3), (std::vector<double>{1.5, 3, 4}));
}

TEST(Smoothing, LeavesOutMissingValues) {
  const auto means = smooth({1, NAN, 3, NAN, NAN, NAN}, 3);
  EXPECT_EQ(means[0], 1);
  EXPECT_EQ(means[1], 2);
  EXPECT_EQ(means[2], 3);
  EXPECT_EQ(means[3], 3);
  EXPECT_TRUE(std::isnan(means[4]));
}

TEST(ThinExtremes, KeepsLowestAndHighestOfEachBucketInOrder) {
  // Eight points in two buckets (x 1..4.5 and 4.5..8): 5 then 1 in the first, 0 then 9 in the second.
  const Curve thin = thin_extremes(line({2, 5, 1, 3, 0, 4, 9, 4}), 2);
  EXPECT_EQ(thin.y, (std::vector<double>{5, 1, 0, 9}));
  EXPECT_EQ(thin.x, (std::vector<double>{2, 3, 5, 7}));
}

TEST(ThinExtremes, LeavesShortCurvesAloneButForMissingValues) {
  const Curve thin = thin_extremes(line({2, NAN, 1, INFINITY}), 2);
  EXPECT_EQ(thin.y, (std::vector<double>{2, 1}));
  EXPECT_EQ(thin.x, (std::vector<double>{1, 3}));
}

TEST(ThinExtremes, NeverKeepsMoreThanTwoPerBucketNorLosesAnExtreme) {
  std::vector<double> y(10'000);
  for (size_t i = 0; i < y.size(); ++i) y[i] = std::sin(static_cast<double>(i * i % 977));
  y[4321] = 50;
  y[8765] = -50;
  const Curve thin = thin_extremes(line(y), 100);
  EXPECT_LE(thin.x.size(), 200u);
  EXPECT_EQ(*std::max_element(thin.y.begin(), thin.y.end()), 50);
  EXPECT_EQ(*std::min_element(thin.y.begin(), thin.y.end()), -50);
  EXPECT_TRUE(std::is_sorted(thin.x.begin(), thin.x.end()));
}

TEST(ThinMean, IsTheMeanOfEachBucket) {
  const Curve thin = thin_mean(line({1, 3, 10, 20}), 2);
  EXPECT_EQ(thin.x, (std::vector<double>{1.5, 3.5}));
  EXPECT_EQ(thin.y, (std::vector<double>{2, 15}));
}

TEST(ThinMean, OfNothingIsNothing) {
  EXPECT_TRUE(thin_mean({}, 10).x.empty());
  EXPECT_TRUE(thin_mean(line({NAN, NAN}), 1).x.empty());
}

TEST(Across, GivesMeanAndRangeAtEveryStepAnyRunHas) {
  const CurveSpread spread = across({line({1, 2, 3}), line({3, NAN})});
  EXPECT_EQ(spread.x, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(spread.mean, (std::vector<double>{2, 2, 3}));
  EXPECT_EQ(spread.low, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(spread.high, (std::vector<double>{3, 2, 3}));
}

TEST(Quantile, IgnoresMissingValues) {
  EXPECT_EQ(quantile({5, NAN, 1, 3}, 0.5), 3);
  EXPECT_EQ(quantile({5, 1, 3}, 1.0), 5);
  EXPECT_TRUE(std::isnan(quantile({NAN}, 0.5)));
}

}  // namespace
}  // namespace compeer::report
