#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

TEST(Funnel, TellsWhatBecameOfRecords) {
  Markup out;
  write_funnel(out, {sample::tested("a", "x", 1, 50, 2, 0.1, 3)});
  const auto html = out.take();
  EXPECT_NE(html.find("<th scope=\"row\">01-sage</th><td class=\"number\">100</td><td class=\"number\">97</td>"
                      "<td class=\"number\">3</td><td class=\"words\">unreadable change 3</td>"
                      "<td class=\"words\">ended by goodbye 12</td>"),
            std::string::npos)
      << html;
}

TEST(Funnel, NamesTheMostFrequentReasons) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1);
  for (int i = 1; i <= 10; ++i) run.stages[1].dropped["reason " + std::to_string(i)] = i;
  Markup out;
  write_funnel(out, {run});
  EXPECT_NE(out.take().find("reason 10 10, reason 9 9, reason 8 8, reason 7 7, reason 6 6, reason 5 5, reason 4 4, "
                            "reason 3 3; 2 more"),
            std::string::npos);
}

TEST(Funnel, IsNotThereWithoutDataRuns) {
  Markup out;
  write_funnel(out, sample::quickstart());
  EXPECT_EQ(out.size(), 0u);
}

}  // namespace
}  // namespace compeer::report
