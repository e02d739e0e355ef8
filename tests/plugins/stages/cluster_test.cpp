#include <set>

#include "../built.h"

namespace compeer {
namespace {

using nlohmann::json;

json record(int i, std::vector<double> vector) {
  return {{"id", "r" + std::to_string(i)}, {"persona", {{"manner", "m" + std::to_string(i)}, {"vector", vector}}}};
}

// Two groups that are far apart, and one record far from both.
std::vector<json> people() {
  std::vector<json> all;
  for (int i = 0; i < 10; ++i) all.push_back(record(i, {0.01 * i, 0}));
  for (int i = 10; i < 20; ++i) all.push_back(record(i, {0, 10 + 0.01 * i}));
  all.push_back(record(20, {50, 50}));
  return all;
}

std::vector<Outcome> clustered(plugin::Plugin<Stage>& plugin, const std::vector<json>& all) {
  for (const json& one : all) plugin.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(one)); });
  return plugin::make(plugin, all);
}

TEST(Cluster, EachGetsThePersonaOfAnotherOfItsGroup) {
  auto plugin = built::open<Stage>("cluster", {{"k", 3}});
  const auto all = people();
  const auto outcomes = clustered(plugin, all);
  std::set<std::string> given;
  for (int i = 0; i < 20; ++i) {
    const json& made = outcomes[static_cast<size_t>(i)].records.at(0);
    const int other = std::stoi(made.at("persona_as").at("manner").get<std::string>().substr(1));
    EXPECT_NE(other, i);
    EXPECT_EQ(other / 10, i / 10);
    EXPECT_EQ(made.at("cluster"), outcomes[static_cast<size_t>(i / 10 * 10)].records.at(0).at("cluster"));
    given.insert(made.at("persona_as").at("manner"));
  }
  EXPECT_GT(given.size(), 8u);
  EXPECT_FALSE(outcomes[20].records.at(0).contains("persona_as"));
  EXPECT_EQ(outcomes[20].counts.at("alone in their cluster"), 1);
}

// Three records of each of three dialogues, and two of one dialogue that is a group of its own.
TEST(Cluster, NeverGivesThePersonaOfTheSameDialogue) {
  std::vector<json> all;
  for (int i = 0; i < 9; ++i) all.push_back(record(i, {0.01 * i, 0}));
  for (int i = 9; i < 11; ++i) all.push_back(record(i, {50, 50}));
  for (int i = 0; i < 11; ++i) all[static_cast<size_t>(i)]["dialogue"] = "d" + std::to_string(i < 9 ? i % 3 : 3);
  auto plugin = built::open<Stage>("cluster", {{"k", 2}});
  const auto outcomes = clustered(plugin, all);
  std::set<int> given;
  for (int i = 0; i < 9; ++i) {
    const auto manner = outcomes[static_cast<size_t>(i)].records.at(0).at("persona_as").at("manner").get<std::string>();
    const int other = std::stoi(manner.substr(1));
    EXPECT_LT(other, 9);
    EXPECT_NE(other % 3, i % 3) << i << " got that of " << other;
    given.insert(other);
  }
  EXPECT_GT(given.size(), 3u);
  EXPECT_FALSE(outcomes[9].records.at(0).contains("persona_as"));
  EXPECT_EQ(outcomes[10].counts.at("alone in their cluster"), 1);
}

TEST(Cluster, ReportsSquaredErrorsAndTheElbow) {
  auto plugin = built::open<Stage>("cluster", {{"k_max", 6}});
  clustered(plugin, people());
  const json findings = plugin.call("findings", [](Stage& s) { return s.findings({}); });
  EXPECT_EQ(findings.at("squared_errors").size(), 6u);
  EXPECT_EQ(findings.at("k"), 2);
  EXPECT_GT(findings.at("squared_errors")[1], findings.at("squared_errors")[2]);
}

TEST(Cluster, DropsRecordsWithoutAPersona) {
  auto plugin = built::open<Stage>("cluster");
  EXPECT_EQ(clustered(plugin, {{{"id", "x"}}})[0].dropped, "no persona");
}

}  // namespace
}  // namespace compeer
