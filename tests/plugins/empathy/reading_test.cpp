#include "empathy/reading.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/error.h"
#include "empathy/prompt.h"

namespace compeer::empathy {
namespace {

// A received text, and the label parsed from it; empty if there is none.
struct Shape {
  const char* text;
  std::optional<Fitness> label;
};

constexpr auto keep = Fitness::keep, incoherent = Fitness::incoherent, artificial = Fitness::artificial,
               no_dialogue = Fitness::no_dialogue;

class AnswersInEnglish : public testing::TestWithParam<Shape> {};
class AnswersInChinese : public testing::TestWithParam<Shape> {};

void expect_read(const Shape& shape) {
  const auto found = read(FilterVerdicts(), shape.text);
  EXPECT_EQ(found.value, shape.label) << shape.text << "\n" << found.refusal;
  EXPECT_EQ(found.value.has_value(), found.refusal.empty());
}

TEST_P(AnswersInEnglish, AreReadOrRefused) { expect_read(GetParam()); }
TEST_P(AnswersInChinese, AreReadOrRefused) { expect_read(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Shapes, AnswersInEnglish,
    testing::Values(
        // Markup around the label.
        Shape{"keep", keep}, Shape{" Keep.\n", keep}, Shape{"KEEP!", keep}, Shape{"**keep**", keep},
        Shape{"*keep*", keep}, Shape{"__Keep__.", keep}, Shape{"`keep`", keep}, Shape{"```\nkeep\n```", keep},
        Shape{"```text\nkeep\n```\n", keep}, Shape{"```keep```", keep}, Shape{"\"keep\"", keep}, Shape{"'keep'.", keep},
        Shape{"\u201ckeep\u201d", keep}, Shape{"[keep]", keep}, Shape{"(keep)", keep}, Shape{"- keep", keep},
        Shape{"> keep", keep}, Shape{"# keep", keep}, Shape{"\u2705 keep", keep}, Shape{"$\\boxed{keep}$", keep},
        Shape{"\\boxed{\\text{keep}}", keep}, Shape{"<answer>keep</answer>", keep}, Shape{"\ufeffkeep", keep},
        Shape{"keep<|im_end|>", keep}, Shape{"keep</s>", keep}, Shape{"No dialogue", no_dialogue},
        Shape{"no_dialogue", no_dialogue}, Shape{"No-Dialogue.", no_dialogue},
        // Names and prefaces before the label.
        Shape{"Answer: keep", keep}, Shape{"**Answer:** keep", keep}, Shape{"**Answer**: `keep`", keep},
        Shape{"Final answer: artificial.", artificial}, Shape{"Answer:\nkeep", keep}, Shape{"Answer - keep", keep},
        Shape{"The answer is keep.", keep}, Shape{"The answer is: **incoherent**.", incoherent},
        Shape{"My verdict would be \"artificial\".", artificial}, Shape{"Label = keep", keep},
        Shape{"I would say: keep", keep}, Shape{"I'd say keep.", keep},
        Shape{"I would label this as incoherent.", incoherent}, Shape{"Sure! keep", keep}, Shape{"Sure, keep.", keep},
        Shape{"Okay: keep", keep}, Shape{"Sure! Here is my judgement:\n\nkeep", keep},
        Shape{"Of course. Here's my answer: **keep**", keep},
        Shape{"Certainly! The answer is:\n\n**no dialogue**", no_dialogue}, Shape{"assistant: keep", keep},
        // Explanations after the label.
        Shape{"keep\n\nPeople could have talked like this. It is neither incoherent nor artificial.", keep},
        Shape{"keep - what is said follows from what was said before", keep},
        Shape{"keep (both speak like people)", keep}, Shape{"Keep, because it reads well.", keep},
        Shape{"keep: it reads well", keep}, Shape{"**keep**: it reads well", keep},
        Shape{"The dialogue flows well and sounds like people.\n\nkeep", keep},
        Shape{"It reads like a form letter. Artificial.", artificial},
        Shape{"I checked whether it is incoherent. It is not.\n\nFinal answer: keep", keep},
        Shape{"It is well formed, so this is **keep** for me.", keep},
        Shape{"Answer with exactly one of: keep, incoherent, artificial, no dialogue.\nkeep", keep},
        // Thoughts and JSON objects.
        Shape{"<think>Is it artificial? I think not.</think>\n\nkeep", keep}, Shape{"<think>\n</think>keep", keep},
        Shape{"no tag before it: artificial</think>keep", keep},
        Shape{"<thinking>incoherent?</thinking>**keep**", keep},
        Shape{"<|channel|>analysis<|message|>artificial?<|end|><|start|>assistant<|channel|>final<|message|>keep",
              keep},
        Shape{R"({"answer": "keep"})", keep}, Shape{"```json\n{\"label\": \"Incoherent\"}\n```", incoherent},
        Shape{R"({"verdict": "keep", "reason": "it is not artificial"})", keep},
        Shape{R"({"reason": "artificial", "answer": "keep"})", keep}, Shape{R"(["keep"])", keep},
        Shape{R"(Here you are: {"result": {"label": "keep"}})", keep}, Shape{"{'answer': 'keep'}", keep},
        Shape{R"({"answer": "keep", "reason": "it is cut o)", keep}));

INSTANTIATE_TEST_SUITE_P(
    Refused, AnswersInEnglish,
    testing::Values(Shape{"", {}}, Shape{"  \n", {}}, Shape{"keep or drop? I can't say", {}}, Shape{"keep?", {}},
                    Shape{"keep or incoherent", {}}, Shape{"keep/incoherent", {}}, Shape{"keep, incoherent", {}},
                    Shape{"keep and artificial", {}}, Shape{"keep\nincoherent", {}},
                    Shape{"**keep** or **artificial**", {}}, Shape{"I am torn between keep and incoherent.", {}},
                    Shape{"not keep", {}}, Shape{"Not incoherent.", {}}, Shape{"The answer is not keep.", {}},
                    Shape{"I would not say keep.", {}}, Shape{"It isn't **keep**.", {}},
                    Shape{"Answer: keep\nAnswer: incoherent", {}}, Shape{"keep. Wait, no: incoherent.", {}},
                    Shape{"keep, though slightly artificial", {}}, Shape{"keep (but artificial in places)", {}},
                    Shape{"I'd keep going with a question.", {}}, Shape{"They keep repeating themselves.", {}},
                    Shape{"drop", {}}, Shape{"yes", {}}, Shape{"I'm sorry, I can't help with that.", {}},
                    Shape{"As an AI, I cannot judge whether this is artificial.", {}}, Shape{"keeper", {}},
                    Shape{"coherent", {}}, Shape{"<think>It should be keep", {}}, Shape{"<think>keep</think>", {}},
                    Shape{"Answer with exactly one of: keep, incoherent, artificial, no dialogue.", {}},
                    Shape{"keep: people could have talked like this\nincoherent: sentences do not follow", {}},
                    Shape{R"({"answer": ["keep", "artificial"]})", {}}, Shape{R"({"answer": "unclear"})", {}},
                    Shape{R"({"first": "keep", "second": "incoherent"})", {}},
                    Shape{"Is it keep? Is it artificial?", {}}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, AnswersInChinese,
    testing::Values(Shape{"keep。", keep}, Shape{"“keep”", keep}, Shape{"「keep」", keep}, Shape{"【keep】", keep},
                    Shape{"《keep》", keep}, Shape{"ｋｅｅｐ", keep}, Shape{"答案：keep", keep},
                    Shape{"**答案**：keep。", keep}, Shape{"答案是keep", keep}, Shape{"回答：artificial", artificial},
                    Shape{"我的判断是：keep。", keep}, Shape{"结论：no dialogue", no_dialogue},
                    Shape{"最终答案为 **incoherent**", incoherent}, Shape{"好的，答案是：keep。", keep},
                    Shape{"好的，keep", keep}, Shape{"当然！keep", keep}, Shape{"好的，以下是我的判断：\n\nkeep", keep},
                    Shape{"没问题。\nkeep", keep}, Shape{"经过分析，这段对话应为 keep。", keep},
                    Shape{"我选择 keep", keep}, Shape{"综上所述，keep。", keep}, Shape{"keep，因为前后连贯。", keep},
                    Shape{"keep\n\n对话自然，前后连贯，不是 artificial。", keep}, Shape{"keep（像真人说的话）", keep},
                    Shape{"<think>这段对话像机器吗？不像。</think>\nkeep", keep}, Shape{"{\"答案\": \"keep\"}", keep},
                    Shape{"```json\n{\"判断\": \"incoherent\"}\n```", incoherent}, Shape{"", {}},
                    Shape{"keep 还是 incoherent？说不准。", {}}, Shape{"不是 keep", {}}, Shape{"并非 artificial。", {}},
                    Shape{"答案不是 keep。", {}}, Shape{"keep 或 artificial", {}}, Shape{"keep、artificial", {}},
                    Shape{"keep，但有些地方 artificial", {}}, Shape{"对不起，我无法判断。", {}},
                    Shape{"答案：keep\n答案：artificial", {}}, Shape{"keep吗？", {}}, Shape{"<think>应该是 keep", {}}));

TEST(AnswersAboutReplies, TakeAnOrdinalForALabelOnlyWhereItIsOne) {
  const Preferences words;
  for (const char* text : {"first", "The first.", "First reply", "the first one", "**First**", "Better reply: first",
                           "The better reply is the first.", "The first reply is better.", "I prefer... Answer: first",
                           "first\nThe second is generic. However, the first asks.", "I choose the first.",
                           "Sure! Here is my answer: first reply."}) {
    EXPECT_EQ(read(words, text).value, Preference::first) << text;
  }
  for (const char* text : {"First, the reply acknowledges what the seeker feels.", "First: it is warm.",
                           "First, it is warm. Second, it asks.", "**First:** acknowledges the", "first and second",
                           "The first is not better.", "both", "Is the first reply better?",
                           "If the first reply is better", "Neither the first nor the second can be said to"}) {
    EXPECT_EQ(read(words, text).value, std::nullopt) << text;
  }
  EXPECT_EQ(read(words, "**Both good**").value, Preference::both);
  EXPECT_EQ(read(words, "both_good").value, Preference::both);
  EXPECT_EQ(read(words, "Neither.").value, Preference::neither);
}

TEST(AnswersAboutSteps, AreReadWithWordsOfAnyLanguage) {
  const StepVerdicts english, chinese({"对", "错"});
  for (const char* text : {"True", "**True**", "true, because the stage fits", "True, the seeker is sad.",
                           "{\"answer\": true}", "Answer: TRUE", "True.\n\nThe step is right."})
    EXPECT_EQ(read(english, text).value, true) << text;
  for (const char* text : {"Not true", "True, but the stage is wrong", "true/false", "True or False?",
                           "1. True\n2. False", "It is true that the seeker is sad", "Untrue"})
    EXPECT_EQ(read(english, text).value, std::nullopt) << text;
  for (const char* text : {"对", "对。", "答案：对", "**对**", "好的，对。", "判断：对\n这段对话的分析没有错误。"})
    EXPECT_EQ(read(chinese, text).value, true) << text;
  for (const char* text : {"不对", "这段对话", "对错难说", "答案是对的吗？"})
    EXPECT_EQ(read(chinese, text).value, std::nullopt) << text;
}

TEST(AnswersOfYesAndNo, MayGoOn) {
  const Answers words({"yes", "no"});
  EXPECT_EQ(read(words, "Yes, they contradict each other.").value, 0u);
  EXPECT_EQ(read(words, "No, they do not contradict each other.").value, 1u);
  EXPECT_EQ(read(words, "No. Wait, yes.").value, std::nullopt);
  EXPECT_EQ(read(words, "There is no contradiction").value, std::nullopt);
}

TEST(Answers, ThatCantBeReadSayWhy) {
  const FilterVerdicts words;
  EXPECT_EQ(read(words, "keep or drop? I can't say").refusal, "'keep or drop? I can't say' gives no answer of its own");
  EXPECT_EQ(read(words, "keep\nartificial").refusal, "'keep\nartificial' names more than one answer");
  EXPECT_EQ(read(words, "keep. Wait, no, that is artificial").refusal,
            "'keep. Wait, no, that is artificial' takes its answer back");
  EXPECT_EQ(read(words, "<think>Let me see").refusal, "a thought without an end, and no answer");
}

TEST(APersona, IsReadWhateverStandsAroundIt) {
  const Disc expected{{4, 0, 10, 2}, "short sentences"};
  for (const char* text :
       {"dominance: 4\ninfluence: 0\nsteadiness: 10\ncompliance: 2\nmanner: short sentences",
        "Sure! Here is the rating:\n\n**Dominance:** 4/10\n**Influence:** 0/10\n**Steadiness:** 10/10\n"
        "**Compliance:** 2/10\n**Manner:** short sentences",
        "```\ndominance: 4\ninfluence: 0\nsteadiness: 10\ncompliance: 2\nmanner: short sentences\n```",
        "<think>dominance: 9?</think>dominance: 4 (not very)\ninfluence: 0 - hardly\nsteadiness: 10\n"
        "compliance: 2\n\nmanner: short sentences\n\nI hope this helps.",
        R"({"dominance": 4, "influence": 0, "steadiness": "10", "compliance": 2, "manner": "short sentences"})",
        "好的：\n- dominance（支配）：4\n- influence（影响）：0\n- steadiness（稳健）：10\n- compliance（服从）：2\n- "
        "manner："
        "short sentences"}) {
    const auto found = read_disc(text);
    ASSERT_TRUE(found) << text << "\n" << found.refusal;
    EXPECT_EQ(*found.value, expected) << text;
  }
  EXPECT_EQ(read_disc("dominance: 4\ninfluence: 0\nsteadiness: 10").refusal, "no 'compliance:'");
  for (const char* number : {"11", "4.5", "4-5", "4 or 5", "high", "-1", "4 to 6", "4/5"}) {
    const auto text = std::string("dominance: ") + number + "\ninfluence: 0\nsteadiness: 10\ncompliance: 2";
    EXPECT_EQ(read_disc(text).refusal, "dominance is no whole number from 0 to 10") << number;
  }
  EXPECT_EQ(read_disc("dominance: 4\ndominance: 5\ninfluence: 0\nsteadiness: 1\ncompliance: 2").refusal,
            "dominance is said twice, and differently");
}

TEST(ACompletion, IsReadWhateverStandsAroundIt) {
  const Structured expected{"h.", "e, 3.", "s.", "How are you?"};
  const std::string steps = "<history>h.</history><emotion>e, 3.</emotion><strategy>s.</strategy>";
  for (const std::string& text :
       {steps + "\nHow are you?", "Sure! Here is my answer:\n\n" + steps + "\n\nHow are you?",
        "```xml\n" + steps + "\n```\nHow are you?", "```\n" + steps + "\nHow are you?\n```",
        "<think>What is it?\n<history>x</history></think>\n" + steps + "\nHow are you?",
        steps + "\n\n**Reply:** How are you?", steps + "\nReply: \"How are you?\"",
        steps + "\n<reply>How are you?</reply>", steps + "\n回复：“How are you?”",
        std::string("**<History>** h. **</History>**\n<emotion>e, 3.</emotion>\n"
                    "<STRATEGY>s.</STRATEGY>\nHow are you?"),
        steps + "\nHow are you?<|im_end|>",
        std::string(R"({"history": "h.", "emotion": "e, 3.", "strategy": "s.", "reply": "How are you?"})")}) {
    const auto found = read_completion(text);
    ASSERT_TRUE(found) << text << "\n" << found.refusal;
    EXPECT_EQ(*found.value, expected) << text;
  }
  EXPECT_EQ(read_completion("How are you?").refusal, "no <history>");
  EXPECT_EQ(read_completion(steps).refusal, "no reply");
  EXPECT_EQ(read_completion("<history>h</history><strategy>s</strategy>Hi").refusal,
            "<strategy> where <emotion> should be");
  EXPECT_EQ(read_completion(R"({"history": "h", "emotion": "", "strategy": "s", "reply": "r"})").refusal,
            "emotion is empty");
}

TEST(NumberedLines, AreReadWhateverStandsAroundThem) {
  const std::vector<std::string> expected{"I am sad.", "Why?"};
  for (const char* text :
       {"1: I am sad.\n2: Why?", "1. I am sad.\n2. Why?", "1) I am sad.\n\n2) Why?",
        "Here are the lines:\n\n1: I am sad.\n2: Why?\n\nLet me know!", "**1:** I am sad.\n**2:** Why?",
        "```\n1: I am sad.\n2: Why?\n```", "1: Seeker: I am sad.\n2: Supporter: Why?", "- 1: I am sad.\n- 2: Why?",
        "<think>1: x</think>\n1: I am sad.\n2: Why?", "好的：\n1：求助者：I am sad.\n2：支持者：Why?",
        R"(["I am sad.", "Why?"])", R"(["1: Seeker: I am sad.", "2: Why?"])"}) {
    const auto found = read_lines(text, 2);
    ASSERT_TRUE(found) << text << "\n" << found.refusal;
    EXPECT_EQ(*found.value, expected) << text;
  }
  EXPECT_EQ(read_lines("1: a\n2: b", 3).refusal, "2 lines instead of 3");
  EXPECT_EQ(read_lines("1: a\n2: b\n3: c", 2).refusal, "3 lines instead of 2");
  EXPECT_EQ(read_lines("1: a\nand more\n2: b", 2).refusal, "a line that does not begin with 2:");
  EXPECT_EQ(read_lines("1:\n2: b", 2).refusal, "nothing behind 1:");
  EXPECT_EQ(read_lines("1: a\n3: b", 2).refusal, "a line that does not begin with 2:");
}

std::string mistake(const std::string& text, const std::vector<std::string>& slots) {
  try {
    PromptTemplate(text, "p.txt", slots);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    return error.where() + ": " + error.problem();
  }
  return "";
}

TEST(PromptTemplate, FillsItsSlotsAndLooksIntoNoValue) {
  const PromptTemplate prompt("{a}-{{b}} {long_name}{a}\n\n", "p.txt", {"a", "long_name"});
  EXPECT_EQ(prompt.fill({{"a", "{long_name}"}, {"long_name", "x\n"}}), "{long_name}-{b} x\n{long_name}");
}

TEST(PromptTemplate, ErrorsNameFileLineAndSlot) {
  EXPECT_EQ(mistake("one\ntwo {histroy}", {"history"}), "p.txt:2: unknown slot {histroy}");
  EXPECT_EQ(mistake("{a}", {"a", "b"}), "p.txt: the slot {b} is missing");
  EXPECT_EQ(mistake("Case {id} {a}", {"a"}), "p.txt:1: unknown slot {id}");
  EXPECT_EQ(mistake("{a}", {"id", "a"}), "");  // {id} may be unused: only scripted players need it
  EXPECT_EQ(mistake("{a} {", {"a"}), "p.txt:1: a brace outside a slot");
  EXPECT_EQ(mistake("{a} \n}", {"a"}), "p.txt:2: a brace outside a slot");
  EXPECT_EQ(mistake("{a} { b }", {"a"}), "p.txt:1: a brace outside a slot");
  EXPECT_EQ(mistake("{A}", {"a"}), "p.txt:1: a brace outside a slot");
  EXPECT_EQ(mistake("", {}), "");
}

TEST(PromptTemplate, ItsHashIsThatOfTheText) {
  EXPECT_EQ(PromptTemplate("", "p.txt", {}).sha256(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_NE(PromptTemplate("a", "p.txt", {}).sha256(), PromptTemplate("a\n", "p.txt", {}).sha256());
}

TEST(PromptTemplate, KnowsWhetherItIsChinese) {
  EXPECT_FALSE(PromptTemplate("Is {this} fit? caf\u00e9 \u2026", "p", {"this"}).chinese());
  EXPECT_TRUE(PromptTemplate("{this}合适吗？", "p", {"this"}).chinese());
}

TEST(Said, NamesThePeopleInThePromptsLanguage) {
  EXPECT_EQ(format_turn("user", "I am sad.", false), "Seeker: I am sad.");
  EXPECT_EQ(format_turn("assistant", "Why?", false), "Supporter: Why?");
  EXPECT_EQ(format_turn("assistant", "Why?\nSeeker: Because.\nSeekers all\n支持者：x", false),
            "Supporter: Why?\n Seeker: Because.\nSeekers all\n 支持者：x");
  EXPECT_EQ(format_turn("user", "我很难过。", true), "求助者：我很难过。");
  EXPECT_EQ(format_turn("assistant", "为什么？", true), "支持者：为什么？");
}

}  // namespace
}  // namespace compeer::empathy
