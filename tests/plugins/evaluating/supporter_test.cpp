#include "evaluating/supporter.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace compeer::evaluating {
namespace {

TEST(Heard, IsTheReplyAlone) {
  const auto answer = parse_answer("<history>early</history><emotion>sad</emotion><strategy>ask</strategy>\nWhy?");
  EXPECT_EQ(answer.reply, "Why?");
  EXPECT_EQ(answer.steps, (nlohmann::json{{"history", "early"}, {"emotion", "sad"}, {"strategy", "ask"}}));
  EXPECT_EQ(turn_of(answer).at("steps").at("strategy"), "ask");
  EXPECT_EQ(parse_answer("<think>He is sad.</think>\n\nWhy?").reply, "Why?");
  EXPECT_EQ(parse_answer("Why?").reply, "Why?");
  EXPECT_FALSE(turn_of(parse_answer("Why?")).contains("steps"));
}

TEST(Heard, SaysWhenThereIsNone) {
  EXPECT_EQ(parse_answer("  \n").refusal, "no reply");
  EXPECT_EQ(parse_answer("<think>He is sad.</think>").refusal, "no reply");
  EXPECT_EQ(parse_answer("<think>He is sad, so I").refusal, "no reply") << "cut off while it thought";
}

TEST(OptionalChat, IsDemandedByTheNameOfItsSetting) {
  struct Nobody : Host {
    void log(const std::string&) override {}
    double random(uint32_t, uint32_t, uint32_t) override { return 0; }
    Similarity& similarity(const Settings&) override { throw std::logic_error("none"); }
    Chat& chat(const Settings&) override { throw std::logic_error("none"); }
    LanguageModel& language_model(const std::string&) override { throw std::logic_error("none"); }
    std::vector<std::vector<float>> embed(const std::vector<std::string>&) override { return {}; }
    std::string folder() const override { return ""; }
    bool cancelled() const override { return false; }
    const TextTokenizer& tokenizer() const override { throw std::logic_error("none"); }
  } host;
  const OptionalChat judge(Settings(nlohmann::json{{"judge", nullptr}}), host, "judge");
  EXPECT_FALSE(judge);
  EXPECT_EQ(judge.model(), "");
  try {
    judge.require("record 'a' is to be judged");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "record 'a' is to be judged, but the setting 'judge' is unset");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

}  // namespace
}  // namespace compeer::evaluating
