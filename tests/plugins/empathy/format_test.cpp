#include "empathy/format.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

namespace compeer::empathy {
namespace {

const Structured sample = {"exploration", "negative sadness 4", "question", "what happened at work ?"};
const std::string canonical =
    "<history>exploration</history><emotion>negative sadness 4</emotion><strategy>question</strategy>\n"
    "what happened at work ?";

TEST(Format, PrintsOneCanonicalText) { EXPECT_EQ(print(sample), canonical); }

TEST(Format, ParsesWhatItPrints) {
  const Parsed parsed = parse(canonical);
  ASSERT_TRUE(parsed) << parsed.refusal;
  EXPECT_EQ(*parsed.value, sample);
  EXPECT_EQ(parsed.refusal, "");
}

TEST(Format, WhiteSpaceAroundPartsDoesNotMatter) {
  const Parsed parsed = parse(
      "\n <history> exploration\n</history>\n\n<emotion>\tnegative sadness 4 </emotion> "
      "<strategy> question </strategy>   what happened at work ?\r\n");
  ASSERT_TRUE(parsed) << parsed.refusal;
  EXPECT_EQ(*parsed.value, sample);
}

/// Texts of pieces that are hard for a parser: near-tags, brackets, inner white space, other scripts.
std::string hard_text(std::mt19937& generator) {
  static const std::vector<std::string> pieces = {
      "a",         "<",  ">",  "/",           "</",           "history",   "<histor",
      "<History>", " ",  "\n", "</emotions>", "\xe4\xbd\xa0", "strategy>", "&lt;",
      "\"",        "<<", "0"};
  std::string text = "x";
  const size_t count = generator() % 12;
  for (size_t i = 0; i < count; ++i) text += pieces[generator() % pieces.size()];
  return text + "y";
}

bool holds_tag(const std::string& text) {
  for (const char* tag : {"<history>", "</history>", "<emotion>", "</emotion>", "<strategy>", "</strategy>"}) {
    if (text.find(tag) != std::string::npos) return true;
  }
  return false;
}

TEST(Format, PrintThenParseIsIdentityForHardTexts) {
  std::mt19937 generator(7);
  int printed = 0;
  for (int i = 0; i < 5000; ++i) {
    const Structured parts = {hard_text(generator), hard_text(generator), hard_text(generator), hard_text(generator)};
    if (holds_tag(parts.history) || holds_tag(parts.emotion) || holds_tag(parts.strategy) || holds_tag(parts.reply)) {
      EXPECT_THROW(print(parts), std::invalid_argument);
      continue;
    }
    ++printed;
    const Parsed parsed = parse(print(parts));
    ASSERT_TRUE(parsed) << print(parts) << "\n" << parsed.refusal;
    EXPECT_EQ(*parsed.value, parts);
  }
  EXPECT_GT(printed, 4000);
}

TEST(Format, ParseThenPrintThenParseIsIdentityForRandomTagSequences) {
  std::mt19937 generator(11);
  const std::vector<std::string> pieces = {"<history>",   "</history>", "<emotion>", "</emotion>", "<strategy>",
                                           "</strategy>", "one",        " two ",     "\n"};
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    // A well-formed text with up to two random pieces put into it.
    std::vector<std::string> text = {"<history>",  "a",          "</history>", "<emotion>",   "b",
                                     "</emotion>", "<strategy>", "c",          "</strategy>", "d"};
    for (uint32_t edits = generator() % 3; edits > 0; --edits) {
      text.insert(text.begin() + generator() % (text.size() + 1), pieces[generator() % pieces.size()]);
    }
    std::string joined;
    for (const std::string& piece : text) joined += piece;
    const Parsed parsed = parse(joined);
    EXPECT_EQ(parsed.value.has_value(), parsed.refusal.empty());
    if (!parsed) continue;
    ++accepted;
    EXPECT_EQ(parse(print(*parsed.value)).value, parsed.value) << joined;
  }
  EXPECT_GT(accepted, 500);
  EXPECT_LT(accepted, 2500);
}

TEST(Format, RefusalSaysWhy) {
  EXPECT_EQ(parse("").refusal, "no <history>");
  EXPECT_EQ(parse("hello").refusal, "no <history>");
  EXPECT_EQ(parse("hi <history>a</history>").refusal, "text before <history>");
  EXPECT_EQ(parse("<history>a</history>").refusal, "no <emotion>");
  EXPECT_EQ(parse("<history>a").refusal, "<history> is not closed");
  EXPECT_EQ(parse("<history>a<emotion>b</emotion>").refusal, "<emotion> inside <history>");
  EXPECT_EQ(parse("<emotion>b</emotion><history>a</history>").refusal, "<emotion> where <history> should be");
  EXPECT_EQ(parse("<history> </history><emotion>b</emotion>").refusal, "<history> is empty");
  EXPECT_EQ(parse("<history>a</history> and <emotion>b</emotion>").refusal, "text before <emotion>");
  EXPECT_EQ(parse("<history>a</history><emotion>b</emotion><strategy>c</strategy> \n").refusal, "no reply");
  EXPECT_EQ(parse("<history>a</history><emotion>b</emotion><strategy>c</strategy>d<history>").refusal,
            "<history> in the reply");
}

TEST(Format, PrintRefusesWhatCouldNotBeReadBack) {
  for (const Structured& bad : {Structured{"", "b", "c", "d"}, Structured{"a", " b", "c", "d"},
                                Structured{"a", "b", "c</strategy>", "d"}, Structured{"a", "b", "c", "d\n"}}) {
    EXPECT_THROW(print(bad), std::invalid_argument);
  }
}

TEST(Format, StepsOfABrokenTextAreThoseThatAreWhole) {
  const Steps steps = steps_of("<emotion>b</emotion><history>a<strategy> c </strategy> d");
  EXPECT_FALSE(steps.history.has_value());
  EXPECT_EQ(steps.emotion, "b");
  EXPECT_EQ(steps.strategy, "c");
}

TEST(Format, StepsTakeTheFirstOfRepeatedTags) {
  EXPECT_EQ(steps_of("<history>a</history><history>b</history>").history, "a");
}

TEST(Format, ReplyOfAnyTextIsWhatFollowsTheLastTag) {
  EXPECT_EQ(reply_of(canonical), "what happened at work ?");
  EXPECT_EQ(reply_of(" just a reply "), "just a reply");
  EXPECT_EQ(reply_of("<emotion>b</emotion> first <history>a</history> second"), "second");
  EXPECT_EQ(reply_of("<history>never closed"), "");
  EXPECT_EQ(reply_of(""), "");
  EXPECT_EQ(reply_of("<think><emotion>so sad</think>\nwhy?"), "why?");
}

}  // namespace
}  // namespace compeer::empathy
