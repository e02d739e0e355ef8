#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

TEST(Specs, ShowTheOriginOfEachValue) {
  Markup out;
  write_specs(out, {sample::run("a", "grpo")});
  const auto html = out.take();
  EXPECT_NE(html.find("experiments/base.toml:14"), std::string::npos);
  EXPECT_NE(html.find("<details"), std::string::npos);
}

TEST(Specs, ShowEachSourceOnce) {
  auto a = sample::run("a", "grpo"), b = sample::run("b", "grpo");
  a.sources = b.sources = {{"scripts/study.lua", "local x = 1 < 2"}};
  Markup out;
  write_specs(out, {a, b});
  const auto html = out.take();
  const size_t first = html.find("<pre tabindex=\"0\">local x = 1 &lt; 2</pre>");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(html.find("<pre", first + 1), std::string::npos);
}

}  // namespace
}  // namespace compeer::report
