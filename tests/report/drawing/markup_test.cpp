#include "report/drawing/markup.h"

#include <gtest/gtest.h>

namespace compeer::report {
namespace {

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
  EXPECT_EQ(escape("\xE4\xBD"), replaced + replaced);                 // a character cut in two
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

}  // namespace
}  // namespace compeer::report
