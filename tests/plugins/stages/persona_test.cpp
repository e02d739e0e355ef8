#include "asked.h"

namespace compeer::asked {
namespace {

const std::string disc = "dominance: 4\ninfluence: 0\nsteadiness: 10\ncompliance: 2\nmanner: short";

TEST(Persona, IsTraitsAndTheirShares) {
  Model model([](const std::string&, uint32_t) { return says(disc); });
  const json persona = make("persona", model, {round("1")})[0].records.at(0).at("persona");
  EXPECT_EQ(persona, (json{{"dominance", 4},
                           {"influence", 0},
                           {"steadiness", 10},
                           {"compliance", 2},
                           {"manner", "short"},
                           {"vector", {0.4, 0.0, 1.0, 0.2}}}));
  EXPECT_NE(model.prompts[0].find("Seeker: I am sad 1\nSupporter: What happened?"), std::string::npos);
}

TEST(Persona, DropsWhatNobodyCanReadAndCountsTheTries) {
  Model model([](const std::string& prompt, uint32_t draw) {
    if (prompt.find("sad 1") != prompt.npos) return says(draw == 0 ? "dominance: 11" : disc);
    return prompt.find("sad 2") != prompt.npos ? says("a calm person") : fails();
  });
  const auto outcomes = make("persona", model, {round("1"), round("2"), round("3")}, {{"tries", 2}});
  EXPECT_EQ(outcomes[0].records.size(), 1u);
  EXPECT_EQ(outcomes[1].dropped, "malformed answer");
  EXPECT_EQ(outcomes[2].dropped, "no answer");
  EXPECT_EQ(outcomes[0].counts.at("answers that could not be read"), 3);
}

json later(const std::string& id) {
  json record = round("1");
  record["id"] = id;
  record["dialogue"] = "1";
  record["history"].push_back({{"role", "assistant"}, {"text", "What happened?"}});
  record["history"].push_back({{"role", "user"}, {"text", "I lost my job."}});
  return record;
}

TEST(Persona, IsAskedForOnceADialogueWithTheMostThatIsKnownOfIt) {
  Model model([](const std::string&, uint32_t) { return says(disc); });
  json first = round("1/0/a"), other = round("2");
  first["dialogue"] = "1";
  const auto outcomes = make("persona", model, {first, later("1/1/a"), later("1/1/b"), other});
  ASSERT_EQ(model.prompts.size(), 2u);
  EXPECT_NE(model.prompts[1].find("I lost my job."), std::string::npos) << model.prompts[1];
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.records.at(0).at("persona").at("dominance"), 4);
}

TEST(Persona, OfNothingIsNothing) {
  Model model([](const std::string&, uint32_t) { return says(disc); });
  EXPECT_TRUE(make("persona", model, {}).empty());
}

}  // namespace
}  // namespace compeer::asked
