#include <set>

#include "../built.h"
#include "stages/spoil/scramble.h"

namespace compeer {
namespace {

using nlohmann::json;

json record(const std::string& id) {
  return {{"id", id},
          {"history", {{{"role", "user"}, {"text", "i am sad"}}}},
          {"reference", "tell me more"},
          {"candidates",
           {{{"history", "h" + id}, {"emotion", "e" + id}, {"strategy", "s" + id}, {"reply", "one two three"}}}},
          {"steps", {{true, true, true}}},
          {"preference", "second"},
          {"provenance", {{"candidates", {{"model", "m"}}}, {"steps", {{"models", {"x"}}}}}}};
}

std::vector<json> spoil(const json& settings, const std::vector<json>& all) {
  auto plugin = built::open<Stage>("spoil", settings);
  for (const json& one : all) plugin.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  std::vector<json> made;
  const auto outcomes = plugin::make(plugin, all);
  for (size_t i = 0; i < all.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    EXPECT_EQ(outcome.unchanged, outcome.records.empty()) << "what is not spoilt keeps its line";
    if (outcome.unchanged) made.push_back(all[i]);
    made.insert(made.end(), outcome.records.begin(), outcome.records.end());
  }
  return made;
}

TEST(Spoil, TakesARecordOfUnknownProvenance) {
  auto one = record("a");
  one.erase("provenance");
  const auto made = spoil({{"share", 1.0}, {"scramble", 1.0}}, {one});
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0], one);
  EXPECT_TRUE(made[1].at("provenance").at("candidates").contains("spoilt"));
}

TEST(Spoil, SetsAWorseRecordWithoutLabelsBesideEach) {
  const auto made = spoil({{"share", 1.0}, {"borrow", 1.0}, {"scramble", 1.0}}, {record("a"), record("b")});
  ASSERT_EQ(made.size(), 4u);
  EXPECT_EQ(made[0], record("a")) << "which itself stays";
  const json& worse = made[1];
  EXPECT_EQ(worse.at("id"), "a/spoilt");
  EXPECT_FALSE(worse.contains("steps") || worse.contains("preference") || worse.at("provenance").contains("steps"));
  EXPECT_EQ(worse.at("provenance").at("candidates").at("spoilt"),
            json({"history", "emotion", "strategy", "reply", "words of the reply"}));
  EXPECT_NE(worse.at("candidates")[0].at("reply"), "one two three");
  EXPECT_EQ(worse.at("reference"), "tell me more");
}

TEST(Spoil, TakesPartsOutOfAnyRecordAndLeavesWhatWasRewritten) {
  std::vector<json> all;
  for (int i = 0; i < 200; ++i) all.push_back(record(std::to_string(i)));
  all[7]["rewritten"] = "6";
  std::set<std::string> from;
  size_t borrowed = 0;
  for (const json& one : spoil({{"share", 1.0}, {"borrow", 0.5}, {"scramble", 0.0}}, all)) {
    const auto id = one.at("id").get<std::string>();
    if (!id.ends_with("/spoilt")) continue;
    EXPECT_NE(id, "7/spoilt");
    const auto step = one.at("candidates")[0].at("emotion").get<std::string>();
    borrowed += step != "e" + id.substr(0, id.find('/'));
    from.insert(step);
  }
  EXPECT_GT(borrowed, 70u) << "half of 199, 4 deviations less";
  EXPECT_LT(borrowed, 128u);
  EXPECT_GT(from.size(), 120u);
}

TEST(Scramble, LeavesOutDoublesOrExchangesWords) {
  const auto by = [](double place, double kind) {
    return stages::scramble("one two three", [=](uint32_t number) { return number % 2 == 0 ? place : kind; });
  };
  EXPECT_EQ(by(0.4, 0.0), "one three");
  EXPECT_EQ(by(0.4, 0.5), "one two two three");
  EXPECT_EQ(by(0.4, 0.9), "one three two");
  EXPECT_EQ(by(0.9, 0.9), "three two one") << "the last with the first";
}

TEST(Scramble, TakesCharactersWhereThereAreNoSpaces) {
  const auto first = [](uint32_t) { return 0.0; };
  EXPECT_EQ(stages::scramble("我很好", first), "很好");
  EXPECT_EQ(stages::scramble("好", first), "好好") << "nothing is left out of a single one";
  EXPECT_EQ(stages::scramble("a b c d e f g h i j k l", first), "c d e f g h i j k l") << "one in six";
}

}  // namespace
}  // namespace compeer
