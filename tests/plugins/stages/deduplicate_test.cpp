#include "../built.h"

namespace compeer {
namespace {

using nlohmann::json;

json record(const std::string& id, const std::string& text, const std::string& role = "user") {
  return {{"id", id}, {"turns", {{{"role", role}, {"text", text}}}}};
}

TEST(Deduplicate, TheFirstOfRecordsThatSayTheSameStays) {
  const std::vector<json> records = {record("1", "I am sad."),  record("2", "i am  SAD"),
                                     record("3", "I am mad."),  record("4", "I am sad.", "assistant"),
                                     record("5", "我很难过。"), record("6", "我很难过。")};
  auto plugin = built::open<Stage>("deduplicate");
  for (const json& one : records) plugin.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  const auto outcomes = plugin::make(plugin, records);
  std::vector<std::string> fates;
  for (const auto& outcome : outcomes) fates.push_back(outcome.dropped);
  EXPECT_EQ(fates, (std::vector<std::string>{"", "said before", "", "", "", "said before"}));
  EXPECT_TRUE(outcomes[0].unchanged);
}

TEST(Deduplicate, ASampledRecordIsItsHistoryAndReference) {
  const json history = {{{"role", "user"}, {"text", "hi"}}};
  const std::vector<json> records = {{{"id", "a"}, {"history", history}, {"reference", "x"}},
                                     {{"id", "b"}, {"history", history}, {"reference", "y"}},
                                     {{"id", "c"}, {"history", history}, {"reference", "X!"}}};
  auto plugin = built::open<Stage>("deduplicate");
  for (const json& one : records) plugin.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  const auto outcomes = plugin::make(plugin, records);
  EXPECT_EQ(outcomes[1].dropped, "");
  EXPECT_EQ(outcomes[2].dropped, "said before");
}

}  // namespace
}  // namespace compeer
