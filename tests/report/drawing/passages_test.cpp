#include "report/drawing/passages.h"

#include <gtest/gtest.h>

namespace compeer::report {
namespace {

std::string joined(const std::vector<Passage>& passages) {
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

}  // namespace
}  // namespace compeer::report
