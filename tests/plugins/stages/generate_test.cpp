#include "asked.h"

namespace compeer::asked {
namespace {

const std::string both_right = "<history>early</history><emotion>sadness</emotion><strategy>Question</strategy>\nWhy?";

TEST(Generate, MakesARecordOfEachWritersCompletion) {
  Model first([](const std::string&, uint32_t) { return says(both_right); });
  Model second(
      [](const std::string&, uint32_t draw) { return says(draw == 0 ? "Why?" : both_right + "\n\n- Since when?"); });
  auto plugin =
      built::open<Stage>("generate", {{"writer", named("a")}, {"second_writer", named("b")}},
                         std::make_unique<World>(std::map<std::string, Model*>{{"a", &first}, {"b", &second}}));
  const auto outcomes = plugin::make(plugin, {round("1"), round("2")});
  ASSERT_EQ(outcomes[0].records.size(), 2u);
  const json& made = outcomes[0].records[1];
  EXPECT_EQ(made.at("id"), "1/b");
  EXPECT_EQ(made.at("candidates"), (json::array({{{"history", "early"},
                                                  {"emotion", "sadness"},
                                                  {"strategy", "Question"},
                                                  {"reply", "Why? - Since when?"},
                                                  {"model", "model"}}})));
  EXPECT_EQ(made.at("reference"), "What happened?");
  EXPECT_EQ(made.at("provenance").at("candidates").at("prompt").get<std::string>().size(), 64u);
  EXPECT_EQ(outcomes[0].counts.at("completions not in the format"), 2) << "one of each record";
  EXPECT_EQ(outcomes[1].counts.at("writer 2: completions"), 1);
}

TEST(Generate, DropsARoundThatNobodyAnswersInTheFormat) {
  Model model([](const std::string& prompt, uint32_t) {
    return prompt.find("sad 1") != prompt.npos ? says("<history>cut") : fails();
  });
  const auto outcomes = make("generate", model, {round("1"), round("2")}, {{"tries", 2}}, "writer");
  EXPECT_EQ(outcomes[0].dropped, "no completion in the format");
  EXPECT_EQ(outcomes[1].dropped, "no completion in the format");
  EXPECT_EQ(outcomes[0].counts.at("writer 1: malformed answer"), 1);
  EXPECT_EQ(outcomes[1].counts.at("writer 1: no answer"), 1);
  EXPECT_EQ(outcomes[0].counts.at("completions not in the format"), 2);
}

TEST(Generate, ShowsWritersPicturesOrLeavesThemOut) {
  Model model([](const std::string&, uint32_t) { return says(both_right); });
  json seen = round("1");
  seen["history"] = {{{"role", "user"}, {"text", "Look."}, {"pictures", {"cat.png", "dog.png"}}},
                     {{"role", "assistant"}, {"text", "Sweet!"}},
                     {{"role", "user"}, {"text", "And here."}, {"pictures", {"me.png"}}}};
  make("generate", model, {seen, round("2")}, {}, "writer");
  EXPECT_EQ(model.pictures, (std::vector<std::vector<std::string>>{{}, {"cat.png", "dog.png", "me.png"}}));
  EXPECT_NE(model.prompts.back().find("Seeker: [picture 1] [picture 2] Look."), std::string::npos);
  make("generate", model, {seen}, {{"pictures", "left_out"}}, "writer");
  EXPECT_TRUE(model.pictures.back().empty());
  EXPECT_NE(model.prompts.back().find("Seeker: [picture 3] And here."), std::string::npos);
}

TEST(Generate, OfNothingIsNothing) {
  Model model([](const std::string&, uint32_t) { return says(both_right); });
  EXPECT_TRUE(make("generate", model, {}, {}, "writer").empty());
}

TEST(Generate, NeedsAHistory) {
  Model model([](const std::string&, uint32_t) { return says(both_right); });
  try {
    make("generate", model, {dialogue("1")}, {}, "writer");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "record '1': has no history");
    EXPECT_EQ(error.help(), "run the stage sample first, which draws rounds");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

}  // namespace
}  // namespace compeer::asked
