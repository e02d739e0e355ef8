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

std::vector<json> split(const std::vector<json>& all, double valid, double test) {
  auto plugin = built::open<Stage>("split", {{"valid", valid}, {"test", test}});
  for (const json& one : all) plugin.call("survey", [&](Stage& s) { s.survey(s.glimpse(one)); });
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

TEST(Split, RefusesSharesOfMoreThanAll) {
  try {
    built::open<Stage>("split", {{"valid", 0.6}, {"test", 0.5}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "'valid' and 'test' are shares: together at most 1");
  }
}

}  // namespace
}  // namespace compeer
