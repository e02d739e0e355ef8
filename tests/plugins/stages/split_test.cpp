#include <map>
#include <set>

#include "../built.h"

namespace compeer {
namespace {

using nlohmann::json;

std::vector<json> records(int dialogues, int each) {
  std::vector<json> all;
  for (int d = 0; d < dialogues; ++d) {
    for (int i = 0; i < each; ++i) {
      const auto dialogue = "d" + std::to_string(d);
      all.push_back({{"id", dialogue + "/" + std::to_string(i)}, {"dialogue", dialogue}});
    }
  }
  return all;
}

std::vector<json> split(const std::vector<json>& all, double valid, double test, json again = json::array()) {
  auto plugin = built::open<Stage>("split", {{"valid", valid}, {"test", test}, {"again", std::move(again)}});
  for (const json& one : all) plugin.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  std::vector<json> made;
  for (const auto& outcome : plugin::make(plugin, all)) made.push_back(outcome.records.at(0));
  return made;
}

TEST(Split, SharesAreExactAndDialoguesStayWhole) {
  std::map<std::string, std::set<std::string>> dialogues;
  for (const json& one : split(records(40, 3), 0.1, 0.25)) dialogues[one.at("split")].insert(one.at("dialogue"));
  EXPECT_EQ(dialogues["test"].size(), 10u);
  EXPECT_EQ(dialogues["valid"].size(), 4u);
  EXPECT_EQ(dialogues["train"].size(), 26u);
  for (const auto& one : dialogues["test"])
    EXPECT_FALSE(dialogues["train"].contains(one) || dialogues["valid"].contains(one));
}

TEST(Split, EverythingMayGoIntoOneSplit) {
  for (const json& one : split(records(3, 1), 0, 1)) EXPECT_EQ(one.at("split"), "test");
  for (const json& one : split(records(3, 1), 0, 0)) EXPECT_EQ(one.at("split"), "train");
  for (const json& one : split(records(5, 1), 0.5, 0.5)) EXPECT_NE(one.at("split"), "train");
}

std::vector<json> with_splits(std::vector<json> all) {
  for (size_t i = 0; i < all.size(); ++i) all[i]["split"] = i % 2 == 0 ? "train" : "test";
  return all;
}

TEST(Split, KeepsTheSplitThatRecordsComeWith) {
  const auto all = with_splits(records(40, 1));
  const auto made = split(all, 0.1, 0.1);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(made[i].at("split"), all[i].at("split")) << i;
}

TEST(Split, DividesThoseWithoutOneAndLeavesTheOthers) {
  auto all = with_splits(records(20, 1));
  for (const json& one : records(40, 1))
    all.push_back(one), all.back()["dialogue"] = "new" + one.at("id").get<std::string>();
  std::map<std::string, int> divided;
  const auto made = split(all, 0.1, 0.25);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i >= 20) ++divided[made[i].at("split")];
    if (i < 20) {
      EXPECT_EQ(made[i].at("split"), all[i].at("split"));
    }
  }
  EXPECT_EQ(divided, (std::map<std::string, int>{{"test", 10}, {"train", 26}, {"valid", 4}}));
}

TEST(Split, DividesAgainWhatTheSpecNames) {
  const auto all = with_splits(records(40, 1));
  const auto made = split(all, 0, 0.5, {"train"});
  int test = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % 2 == 1) {
      EXPECT_EQ(made[i].at("split"), "test") << "of no test record is ever learned";
    }
    test += made[i].at("split") == "test";
  }
  EXPECT_EQ(test, 30);
}

TEST(Split, CopiesStayWithTheirDialogue) {
  auto all = records(20, 1);
  for (size_t i = 0; i < 20; ++i) {
    json copy = all[i];
    copy["id"] = all[i].at("id").get<std::string>() + "/spoilt/rewritten";
    copy.erase("split");
    all[i]["split"] = "test";
    all.push_back(copy);
  }
  for (const json& one : split(all, 0, 0)) EXPECT_EQ(one.at("split"), "test") << one;
}

TEST(Split, TellsOfDialoguesThatAreInTwoSplits) {
  auto all = records(4, 1);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i]["split"] = i < 2 ? "train" : "test";
    for (int turn = 0; turn < 4; ++turn)
      all[i]["turns"].push_back(
          {{"role", turn % 2 ? "assistant" : "user"},
           {"text", "turn " + std::to_string(turn) + " of " + (i == 3 ? "0" : std::to_string(i))}});
  }
  auto plugin = built::open<Stage>("split");
  for (const json& one : all) plugin.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  const auto found = built::findings(plugin, plugin::make(plugin, all));
  EXPECT_EQ(found.at("train_dialogues_tested"), 1) << "the first and the last say the same";
  EXPECT_EQ(found.at("dialogues"), (json{{"train", 2}, {"valid", 0}, {"test", 2}}));
}

// Equal system turns with a greeting do not make dialogues equal, because many dialogues begin like this.
TEST(Split, ASystemTurnIsNotSaid) {
  auto all = records(2, 1);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i]["split"] = i == 0 ? "train" : "test";
    all[i]["turns"] = {{{"role", "system"}, {"text", "You are an expert."}},
                       {{"role", "user"}, {"text", "Hello"}},
                       {{"role", "assistant"}, {"text", "Hi"}},
                       {{"role", "user"}, {"text", "I am " + std::to_string(i)}}};
  }
  auto plugin = built::open<Stage>("split");
  for (const json& one : all) plugin.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  EXPECT_EQ(built::findings(plugin, plugin::make(plugin, all)).at("train_dialogues_tested"), 0);
}

TEST(Split, RefusesASplitThatItDoesNotKnow) {
  try {
    built::open<Stage>("split", {{"again", {"trian"}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "'again' contains the unknown split 'trian'");
    EXPECT_TRUE(error.help().starts_with("did you mean 'train'?")) << error.help();
  }
}

TEST(Split, RefusesSharesOfMoreThanAll) {
  try {
    built::open<Stage>("split", {{"valid", 0.6}, {"test", 0.5}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "'valid' + 'test' must not exceed 1");
  }
}

}  // namespace
}  // namespace compeer
