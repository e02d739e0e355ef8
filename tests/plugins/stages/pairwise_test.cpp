#include "asked.h"
#include "base/error.h"

namespace compeer::asked {
namespace {

using built::findings;

json answers(const std::string& id, const std::vector<std::string>& models) {
  json record = round(id);
  for (const auto& model : models) record["answers"][model] = {{"role", "assistant"}, {"text", "says " + model}};
  return record;
}

// A judge that prefers the reply with `word`, in either position.
Model prefers(const std::string& word) {
  return Model([word](const std::string& prompt, uint32_t) {
    return says(prompt.find("First: says " + word) != prompt.npos ? "first" : "second");
  });
}

plugin::Plugin<Stage> open(Model& model, json settings = json::object()) {
  settings["judge"] = named("it");
  return built::open<Stage>("pairwise", settings,
                            std::make_unique<World>(std::map<std::string, Model*>{{"it", &model}}));
}

TEST(Pairwise, ShowsBothOrders) {
  auto model = prefers("b");
  auto stage = open(model);
  const auto outcomes = plugin::make(stage, {answers("x", {"a", "b"})});
  const json& made = outcomes[0].records.at(0);
  EXPECT_EQ(made.at("id"), "x/a~b");
  EXPECT_EQ(made.at("preference"), "second");
  EXPECT_EQ(made.at("orders"), (json{"second", "second"}));
  ASSERT_EQ(model.prompts.size(), 2u);
  EXPECT_NE(model.prompts[0].find("First: says b\n\nSecond: says a"), std::string::npos);
  EXPECT_NE(model.prompts[1].find("First: says a\n\nSecond: says b"), std::string::npos);
  const auto found = findings(stage, outcomes).at("pairs").at("a vs b");
  EXPECT_EQ(found.at("lose").at("value"), 1);
  EXPECT_EQ(found.at("contradictory").at("value"), 0);
}

TEST(Pairwise, ShowsTheJudgePicturesOrLeavesThemOut) {
  auto model = prefers("b");
  json seen = answers("x", {"a", "b"});
  seen["history"] = {{{"role", "user"}, {"text", "Look."}, {"pictures", {"cat.png", "dog.png"}}},
                     {{"role", "assistant"}, {"text", "Sweet!"}},
                     {{"role", "user"}, {"text", "And here."}, {"pictures", {"me.png"}}}};
  auto stage = open(model);
  plugin::make(stage, {seen});
  EXPECT_EQ(model.pictures.at(0), (std::vector<std::string>{"cat.png", "dog.png", "me.png"}));
  EXPECT_NE(
      model.prompts.at(0).find("Seeker: [picture 1] [picture 2] Look.\nSupporter: Sweet!\nSeeker: [picture 3] And"),
      std::string::npos)
      << model.prompts.at(0);
  auto blind = open(model, {{"pictures", "left_out"}});
  plugin::make(blind, {seen});
  EXPECT_TRUE(model.pictures.back().empty());
}

TEST(Pairwise, IsATieWhereThePlaceDecides) {
  Model model([](const std::string&, uint32_t) { return says("first"); });
  auto stage = open(model);
  const auto outcomes = plugin::make(stage, {answers("x", {"a", "b"})});
  EXPECT_EQ(outcomes[0].records.at(0).at("preference"), "both good");
  EXPECT_EQ(outcomes[0].records.at(0).at("orders"), (json{"first", "second"}));
  const auto found = findings(stage, outcomes).at("pairs").at("a vs b");
  EXPECT_EQ(found.at("tie").at("value"), 1);
  EXPECT_EQ(found.at("contradictory").at("value"), 1);
}

TEST(Pairwise, ComparesAllOrOneWithEachOther) {
  auto model = prefers("b");
  auto all = open(model);
  EXPECT_EQ(plugin::make(all, {answers("x", {"a", "b", "c"})})[0].records.size(), 3u);
  auto one = open(model, {{"against", "b"}});
  const auto made = plugin::make(one, {answers("x", {"a", "b", "c"})})[0].records;
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].at("id"), "x/b~a");
  EXPECT_EQ(made[0].at("preference"), "first");
  EXPECT_EQ(made[1].at("id"), "x/b~c");
}

json judged(const std::string& id, const std::string& first, const std::string& second, const std::string& preference) {
  return {{"id", id}, {"candidates", {{{"model", first}}, {{"model", second}}}}, {"preference", preference}};
}

TEST(Pairwise, RefusesAModelOfWhichNoRecordHasAnAnswer) {
  auto model = prefers("b");
  const auto compare = [&](const std::string& against) {
    const std::vector<json> records = {answers("x", {"sft", "big-urp"}), answers("y", {"sft"}),
                                       judged("z", "sft", "old", "first")};
    return make("pairwise", model, records, {{"against", against}}, "judge");
  };
  try {
    compare("bigurp");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "'against': no record has an answer of 'bigurp'");
    EXPECT_EQ(error.help(), "did you mean 'big-urp'? known: big-urp, sft");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  EXPECT_TRUE(model.prompts.empty());
  const auto outcomes = compare("big-urp");
  EXPECT_EQ(outcomes[0].records.size(), 1u);
  EXPECT_EQ(outcomes[1].dropped, "nothing to compare");
}

// A model with an empty reply loses without a request to the judge; if both replies are empty, neither is good.
TEST(Pairwise, ASilentModelLoses) {
  auto model = prefers("b");
  auto stage = open(model);
  std::vector<json> records;
  for (const auto& [a, b] :
       {std::pair("", "says b"), {" \n", "says b"}, {"says a", ""}, {"", ""}, {"says a", "says b"}}) {
    records.push_back(answers(std::to_string(records.size()), {"a", "b"}));
    records.back()["answers"]["a"]["text"] = a;
    records.back()["answers"]["b"]["text"] = b;
  }
  const auto outcomes = plugin::make(stage, records);
  EXPECT_EQ(outcomes[0].records.at(0).at("preference"), "second");
  EXPECT_EQ(outcomes[1].records.at(0).at("preference"), "second");
  EXPECT_EQ(outcomes[2].records.at(0).at("preference"), "first");
  EXPECT_EQ(outcomes[3].records.at(0).at("preference"), "neither");
  EXPECT_EQ(outcomes[3].counts.at("decided by silence"), 1);
  EXPECT_EQ(model.prompts.size(), 2u) << "one pair in both orders";
  const auto found = findings(stage, outcomes);
  EXPECT_EQ(found.at("n"), 5) << "all are counted";
  EXPECT_DOUBLE_EQ(found.at("pairs").at("a vs b").at("win").at("value"), 0.2);
  EXPECT_DOUBLE_EQ(found.at("pairs").at("a vs b").at("tie").at("value"), 0.2);
  EXPECT_DOUBLE_EQ(found.at("pairs").at("a vs b").at("lose").at("value"), 0.6);
  auto people = built::open<Stage>("pairwise");
  EXPECT_EQ(plugin::make(people, {records[0]})[0].records.at(0).at("preference"), "second");
}

TEST(Pairwise, EqualRepliesAreATieThatNobodyIsAskedAbout) {
  auto model = prefers("b");
  auto record = answers("x", {"a", "b"});
  record["answers"]["a"]["text"] = "says b\n";
  record["answers"]["b"]["text"] = "says b";
  for (const bool people : {false, true}) {
    auto stage = people ? built::open<Stage>("pairwise") : open(model);
    const auto outcomes = plugin::make(stage, {record});
    EXPECT_EQ(outcomes[0].records.at(0).at("preference"), "both good");
    EXPECT_EQ(outcomes[0].counts.at("equal replies"), 1);
    EXPECT_EQ(findings(stage, outcomes).at("pairs").at("a vs b").at("tie").at("value"), 1);
  }
  EXPECT_TRUE(model.prompts.empty());
}

TEST(Pairwise, CountsWhatCanNotBeRead) {
  Model model([](const std::string&, uint32_t) { return says("4 / 10"); });
  auto stage = open(model);
  const auto outcomes = plugin::make(stage, {answers("x", {"a", "b"}), answers("y", {"a"})});
  EXPECT_EQ(outcomes[0].dropped, "not compared");
  EXPECT_EQ(outcomes[0].counts.at("not compared: malformed answer"), 1);
  EXPECT_EQ(outcomes[0].counts.at("answers that could not be read"), 6);  // two orders, three tries
  EXPECT_EQ(outcomes[1].dropped, "nothing to compare");
  EXPECT_EQ(findings(stage, outcomes).at("n"), 0);
}

// Human judgements: 3 wins, 1 loss and 1 tie of a against b. Of the 4 decided ones, the probability of a result at
// least as uneven is 2 (1 + 4) / 2^4. Odds 3.5 to 1.5.
TEST(Pairwise, AddsUpWhatPeopleSaid) {
  auto stage = built::open<Stage>("pairwise");
  const auto outcomes = plugin::make(
      stage, {judged("1", "a", "b", "first"), judged("2", "a", "b", "first"), judged("3", "a", "b", "first"),
              judged("4", "a", "b", "second"), judged("5", "a", "b", "neither")});
  const auto found = findings(stage, outcomes);
  EXPECT_EQ(found.at("n"), 5);
  EXPECT_EQ(found.at("models").size(), 2u);
  EXPECT_DOUBLE_EQ(found.at("pairs").at("a vs b").at("win").at("value"), 0.6);
  EXPECT_DOUBLE_EQ(found.at("pairs").at("a vs b").at("tie").at("value"), 0.2);
  EXPECT_NEAR(found.at("pairs").at("a vs b").at("sign_test").at("value"), 10 / 16.0, 1e-12);
  EXPECT_FALSE(found.at("pairs").at("a vs b").contains("contradictory"));
  EXPECT_NEAR(found.at("models").at("a").at("strength").at("value"), std::log(3.5 / 1.5) / 2, 1e-9);
  EXPECT_NEAR(found.at("models").at("b").at("strength").at("value"), -std::log(3.5 / 1.5) / 2, 1e-9);
}

// 29 of thirty are won and one is a tie, which is missing in (29/30)^30 = .36 of the resamples; there the strengths are
// undefined.
TEST(Pairwise, HasNoIntervalOfAStrengthThatIsOftenUnknown) {
  auto stage = built::open<Stage>("pairwise");
  const auto strength = [&](int lost) {
    std::vector<json> records;
    for (int i = 0; i < 30; ++i)
      records.push_back(judged(std::to_string(i), "a", "b", i < lost ? "second" : i == lost ? "neither" : "first"));
    return findings(stage, plugin::make(stage, records)).at("models").at("a").at("strength");
  };
  EXPECT_FALSE(strength(0).at("value").is_null());
  EXPECT_TRUE(strength(0).at("high").is_null());
  EXPECT_FALSE(strength(10).at("high").is_null());
}

// The same two models in either order are one pair: a wins 1 + 2 and loses 1, of 5.
TEST(Pairwise, UnitesPairsThatStoodBothWaysRound) {
  auto stage = built::open<Stage>("pairwise");
  const auto outcomes = plugin::make(
      stage, {judged("1", "b", "a", "second"), judged("2", "b", "a", "second"), judged("3", "b", "a", "both good"),
              judged("4", "a", "b", "first"), judged("5", "a", "b", "second"), judged("6", "c", "a", "first")});
  const auto pairs = findings(stage, outcomes).at("pairs");
  ASSERT_EQ(pairs.size(), 2u) << pairs;
  EXPECT_EQ(pairs.at("a vs b").at("n"), 5);
  EXPECT_DOUBLE_EQ(pairs.at("a vs b").at("win").at("value"), 0.6);
  EXPECT_DOUBLE_EQ(pairs.at("a vs b").at("tie").at("value"), 0.2);
  EXPECT_DOUBLE_EQ(pairs.at("a vs b").at("lose").at("value"), 0.2);
  EXPECT_EQ(pairs.at("c vs a").at("win").at("value"), 1) << "stood in one order alone";
}

TEST(Pairwise, UnitesContradictionsToo) {
  auto stage = built::open<Stage>("pairwise");
  auto both = judged("1", "a", "b", "first"), turned = judged("2", "b", "a", "first");
  both["orders"] = {"first", "first"}, turned["orders"] = {"first", "second"};
  const auto pairs = findings(stage, plugin::make(stage, {both, turned})).at("pairs");
  EXPECT_EQ(pairs.at("a vs b").at("contradictory").at("value"), 0.5);
  EXPECT_EQ(pairs.at("a vs b").at("win").at("value"), 0.5);
}

TEST(Pairwise, MakesPairsForPeopleWithoutAJudge) {
  auto stage = built::open<Stage>("pairwise");
  const auto outcomes = plugin::make(stage, {answers("x", {"a", "b"})});
  const json& made = outcomes[0].records.at(0);
  EXPECT_EQ(made.at("candidates"),
            (json{{{"reply", "says a"}, {"model", "a"}}, {{"reply", "says b"}, {"model", "b"}}}));
  EXPECT_FALSE(made.contains("preference"));
  EXPECT_EQ(outcomes[0].counts.at("to be judged by people"), 1);
}

// Returns the error about a record that can't be compared; checks that its exit code is 4.
std::string refusal(const json& record) {
  auto stage = built::open<Stage>("pairwise");
  try {
    plugin::make(stage, {record});
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::data) << e.what();
    return e.what();
  }
  return "";
}

TEST(Pairwise, NamesRecordsThatAreNoPairs) {
  EXPECT_NE(refusal(judged("1", "a", "b", "the first")).find("record '1': its preference can't be read: \"the first\""),
            std::string::npos);
  const json no_pairs[] = {{{{"model", "a"}}},
                           {{{"model", 1}}, {{"model", 2}}},
                           {{{"reply", "a"}}, {{"reply", "b"}}},
                           {{"a", 1}, {"model", "b"}},
                           "x",
                           json::object(),
                           {"a", "b"}};
  for (const json& candidates : no_pairs) {
    auto record = judged("2", "a", "b", "first");
    record["candidates"] = candidates;
    EXPECT_NE(refusal(record).find("record '2': does not have two candidates with a 'model'"), std::string::npos)
        << candidates;
  }
  EXPECT_NE(refusal(judged("3", "a", "a", "first")).find("record '3': compares 'a' with itself"), std::string::npos);
}

TEST(Pairwise, NamesRecordsWithoutTwoOrders) {
  const json no_orders[] = {{"first"}, "first", json::object(), {"first", "first", "first"}};
  for (const json& orders : no_orders) {
    auto record = judged("1", "a", "b", "first");
    record["orders"] = orders;
    EXPECT_NE(refusal(record).find("record '1': its 'orders' must be a list of two: " + orders.dump()),
              std::string::npos)
        << refusal(record);
  }
}

TEST(Pairwise, NamesRecordsWhoseAnswersAreNone) {
  const json no_answers[] = {{{"x", "hello"}, {"y", "yo"}}, "x", {{"x", {{"text", 1}}}}, json::array({"x"})};
  for (const json& given : no_answers) {
    auto record = answers("1", {"a", "b"});
    record["answers"] = given;
    EXPECT_NE(refusal(record).find("record '1': has answers that can't be compared"), std::string::npos) << given;
  }
  auto record = answers("1", {"a", "b"});
  record.erase("history");
  EXPECT_NE(refusal(record).find("record '1': has answers that can't be compared"), std::string::npos);
}

}  // namespace
}  // namespace compeer::asked
