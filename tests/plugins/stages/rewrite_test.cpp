#include "asked.h"
#include "stages/records.h"

namespace compeer::asked {
namespace {

json with_persona(const std::string& id) {
  json record = round(id);
  record["persona_as"] = {
      {"dominance", 1}, {"influence", 2}, {"steadiness", 3}, {"compliance", 4}, {"manner", "long sentences"}};
  return record;
}

TEST(Numbered, IsOneLineForEachText) { EXPECT_EQ(stages::numbered({"a\n b", "  c  "}), "1: a b\n2: c"); }

TEST(Rewrite, PutsEveryTextInItsPlaceAndKeepsTheRecord) {
  Model model([](const std::string&, uint32_t) { return says("1: one\n2: two\n3: three"); });
  const auto outcome = make("rewrite", model, {with_persona("a")})[0];
  ASSERT_EQ(outcome.records.size(), 2u);
  EXPECT_EQ(outcome.records[0], with_persona("a"));
  const json& made = outcome.records[1];
  EXPECT_EQ(made.at("id"), "a/rewritten");
  EXPECT_EQ(made.at("rewritten"), "a");
  EXPECT_EQ(made.at("dialogue"), "a") << "the same dialogue, and so the same split";
  EXPECT_EQ(made.at("history")[0].at("text"), "one");
  EXPECT_EQ(made.at("reference"), "two");
  EXPECT_EQ(made.at("candidates")[0].at("reply"), "three");
  EXPECT_NE(model.prompts[0].find("manner: long sentences"), std::string::npos);
  EXPECT_NE(model.prompts[0].find("\n1: Seeker: I am sad a\n2: Supporter: What happened?\n"
                                  "Another reply in place of line 2:\n3: Supporter: Tell me a\n"),
            std::string::npos)
      << model.prompts[0];
}

// Without a reference the candidates are alternatives to each other.
TEST(Rewrite, ShowsRepliesToOneTurnAsAlternatives) {
  Model model([](const std::string&, uint32_t) { return says("1: one\n2: two\n3: three"); });
  json record = with_persona("a");
  record.erase("reference");
  record["candidates"].push_back(record["candidates"][0]);
  record["language"] = "zh";
  EXPECT_EQ(make("rewrite", model, {record})[0].records.size(), 2u);
  EXPECT_NE(model.prompts[0].find("\n代替第 2 行的另一种回复：\n3: "), std::string::npos) << model.prompts[0];
}

TEST(Rewrite, LeavesASystemTurnAsItIs) {
  Model model([](const std::string&, uint32_t) { return says("1: one\n2: two\n3: three"); });
  json record = with_persona("a");
  const json system = {{"role", "system"}, {"text", "You are an expert."}};
  record["history"].insert(record["history"].begin(), system);
  const auto outcome = make("rewrite", model, {record})[0];
  ASSERT_EQ(outcome.records.size(), 2u);
  EXPECT_EQ(outcome.records[1].at("history")[0], system);
  EXPECT_EQ(outcome.records[1].at("history")[1].at("text"), "one");
  EXPECT_EQ(outcome.records[1].at("reference"), "two");
}

TEST(Rewrite, TellsWhyARecordIsNotRewritten) {
  Model model([](const std::string&, uint32_t) { return says("1: one\n2: two"); });
  auto outcomes = make("rewrite", model, {with_persona("a"), round("b")}, {{"tries", 2}});
  EXPECT_EQ(outcomes[0].records.size(), 1u) << "itself goes on";
  EXPECT_EQ(outcomes[0].counts.at("not rewritten: malformed answer"), 1);
  EXPECT_EQ(outcomes[1].counts.at("not rewritten: no other persona"), 1);
  EXPECT_EQ(outcomes[0].counts.at("answers that could not be read"), 2);
  outcomes = make("rewrite", model, {with_persona("a"), round("b")}, {{"keep", false}});
  EXPECT_EQ(outcomes[0].dropped, "malformed answer");
  EXPECT_EQ(outcomes[1].dropped, "no other persona");
}

TEST(Rewrite, InOtherWordsNeedsNoPersona) {
  Model model([](const std::string&, uint32_t) { return says("1: one\n2: two"); });
  const auto outcome = make("rewrite", model, {dialogue("a")}, {{"as_persona", false}, {"keep", false}})[0];
  EXPECT_EQ(outcome.records.at(0).at("turns")[1].at("text"), "two");
}

TEST(Rewrite, OfNothingIsNothing) {
  Model model([](const std::string&, uint32_t) { return says(""); });
  EXPECT_TRUE(make("rewrite", model, {}).empty());
}

}  // namespace
}  // namespace compeer::asked
