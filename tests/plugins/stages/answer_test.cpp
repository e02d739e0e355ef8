#include "asked.h"

namespace compeer::asked {
namespace {

constexpr const char* in_format =
    "<history>early</history><emotion>sadness</emotion><strategy>question</strategy>\nWhy?";

std::vector<Outcome> answered(Model& model, json settings = json::object()) {
  settings["name"] = "mine";
  return make("answer", model, {round("a")}, settings, "supporter");
}

TEST(Answer, KeepsWhatTheSeekerHearsAndTheStepsBesideIt) {
  Model model([](const std::string&, uint32_t) { return says(in_format); });
  const auto made = answered(model)[0].records.at(0).at("answers").at("mine");
  EXPECT_EQ(made.at("text"), "Why?");
  EXPECT_EQ(made.at("steps"), (json{{"history", "early"}, {"emotion", "sadness"}, {"strategy", "question"}}));
  EXPECT_EQ(model.prompts, (std::vector<std::string>{"I am sad a"}));
}

TEST(Answer, DoesNotTakeAnothersPlace) {
  Model model([](const std::string&, uint32_t) { return says("Why?"); });
  json record = round("a");
  record["answers"]["mine"] = {{"role", "assistant"}, {"text", "So?"}};
  try {
    make("answer", model, {record}, {{"name", "mine"}}, "supporter");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "record 'a': already has an answer of 'mine'");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  EXPECT_TRUE(model.prompts.empty());
}

TEST(Answer, LeavesThoughtsOutAndNeedsNoSteps) {
  Model model([](const std::string&, uint32_t) { return says("<think>they are sad</think>\n\nWhy?"); });
  const auto made = answered(model)[0].records.at(0).at("answers").at("mine");
  EXPECT_EQ(made, (json{{"role", "assistant"}, {"text", "Why?"}}));
}

TEST(Answer, CountsWhereNothingIsHeard) {
  Model silent([](const std::string&, uint32_t) { return fails(); });
  EXPECT_EQ(answered(silent)[0].counts.at("no answer"), 1);
  EXPECT_FALSE(answered(silent)[0].records.at(0).contains("answers")) << "it was not reached";
  Model cut([](const std::string&, uint32_t) { return says("<history>early"); });
  const auto outcome = answered(cut)[0];
  EXPECT_EQ(outcome.counts.at("no reply"), 1);
  EXPECT_EQ(outcome.records.at(0).at("answers").at("mine").at("text"), "") << "an answer that says nothing";
}

}  // namespace
}  // namespace compeer::asked
