#include "empathy/prompt.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace compeer::empathy {
namespace {

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
  EXPECT_EQ(mistake("one\ntwo {histroy}", {"history"}), "p.txt:2: there is no slot {histroy}");
  EXPECT_EQ(mistake("{a}", {"a", "b"}), "p.txt: the slot {b} is missing");
  EXPECT_EQ(mistake("Case {id} {a}", {"a"}), "p.txt:1: there is no slot {id}");
  EXPECT_EQ(mistake("{a}", {"id", "a"}), "");  // whom it is about matters to scripted players alone
  EXPECT_EQ(mistake("{a} {", {"a"}), "p.txt:1: a brace that belongs to no slot");
  EXPECT_EQ(mistake("{a} \n}", {"a"}), "p.txt:2: a brace that belongs to no slot");
  EXPECT_EQ(mistake("{a} { b }", {"a"}), "p.txt:1: a brace that belongs to no slot");
  EXPECT_EQ(mistake("{A}", {"a"}), "p.txt:1: a brace that belongs to no slot");
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
  EXPECT_EQ(said("user", "I am sad.", false), "Seeker: I am sad.");
  EXPECT_EQ(said("assistant", "Why?", false), "Supporter: Why?");
  EXPECT_EQ(said("assistant", "Why?\nSeeker: Because.\nSeekers all\n支持者：x", false),
            "Supporter: Why?\n Seeker: Because.\nSeekers all\n 支持者：x");
  EXPECT_EQ(said("user", "我很难过。", true), "求助者：我很难过。");
  EXPECT_EQ(said("assistant", "为什么？", true), "支持者：为什么？");
}

}  // namespace
}  // namespace compeer::empathy
