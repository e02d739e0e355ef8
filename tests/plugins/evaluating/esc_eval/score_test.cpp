#include "evaluating/esc_eval/score.h"

#include <gtest/gtest.h>

namespace compeer::evaluating::esc_eval {
namespace {

std::optional<int> strict(std::string_view answer) { return read_score(answer, Parser::strict); }
std::optional<int> upstream(std::string_view answer) { return read_score(answer, Parser::upstream); }

TEST(StrictParser, ReadsOneNumberAsPeopleWriteIt) {
  for (const char* three : {"3",
                            " 3\n",
                            "3.",
                            "**3**",
                            "**3**.",
                            "Score: 3",
                            "Fluency score：3",
                            "3/4",
                            "3 / 4.",
                            "3 out of 4",
                            "3 points",
                            "Score: **3/4**",
                            "(3)",
                            "[3]",
                            "\"3\"",
                            "３",
                            "3分",
                            "得分：3分。",
                            "我给3分。",
                            "3. It reads well.",
                            "3, all in all",
                            "Score: 3\nSome phrases come back.",
                            "3 - mostly varied",
                            "I would give it a 3",
                            "I would give it a 3.",
                            "The score is 3 out of 4!",
                            "<think>0 or 4? 4, no.</think>3",
                            "```json\n{\"score\": 3, \"reason\": \"It has 2 or 3 slips.\"}\n```",
                            "{\"score\": \"3/4\"}",
                            "```\n3\n```",
                            "3<|im_end|>",
                            "# Score\n3",
                            "3分（满分4分）",
                            "评分: 3（满分4分）",
                            "得分：3分，满分为4分。",
                            "3 points out of 4",
                            "3 (out of 4)",
                            "(3/4)",
                            "Rating: 3 (good)",
                            "3 (good).",
                            "3.0",
                            "Score: 3.0/4.0",
                            "3.00 points."}) {
    EXPECT_EQ(strict(three), 3) << three;
  }
  EXPECT_EQ(strict("0"), 0);
  EXPECT_EQ(strict("4 out of 4"), 4);
}

TEST(StrictParser, RefusesWhatIsNotOneScore) {
  for (const char* none : {"",
                           "good",
                           "4/10",
                           "3/5",
                           "3 or 4",
                           "2-3",
                           "3~4",
                           "3.5",
                           "-1",
                           "Score: -1",
                           "+3",
                           "5",
                           "10",
                           "13",
                           "30",
                           "3rd",
                           "GPT4",
                           "1.5 points",
                           "3 questions were asked",
                           "They asked 3 questions.",
                           "0-4: 3",
                           "3. I gave 4 before.",
                           "three",
                           "3 out of 10",
                           ".3",
                           "v3",
                           "3/",
                           "4 / 4 / 4",
                           "3%",
                           "50%",
                           "3分（满分10分）",
                           "3分（满分40分）",
                           "3 points out of 10",
                           "3 (2 in places)",
                           "They asked 3 (good) questions",
                           "3.05",
                           "3.0.1",
                           "4.0/10",
                           "4 / 4 points / 4"}) {
    EXPECT_EQ(strict(none), std::nullopt) << none;
  }
  EXPECT_EQ(strict(std::string(100000, ' ') + "3"), 3);
}

TEST(UpstreamParser, TakesTheFirstLabelThatOccursAnywhere) {
  EXPECT_EQ(upstream("3"), 3);
  EXPECT_EQ(upstream("4/10"), 0);
  EXPECT_EQ(upstream("Score: 3 out of 4"), 3);
  EXPECT_EQ(upstream("between 4 and 2"), 2);
  EXPECT_EQ(upstream("13"), 1);
  EXPECT_EQ(upstream("-1"), 1);
  EXPECT_EQ(upstream("5"), std::nullopt);
  EXPECT_EQ(upstream("３"), std::nullopt);
}

TEST(Parsers, HaveNames) {
  EXPECT_EQ(parser_of("strict"), Parser::strict);
  EXPECT_EQ(parser_of("upstream"), Parser::upstream);
}

}  // namespace
}  // namespace compeer::evaluating::esc_eval
