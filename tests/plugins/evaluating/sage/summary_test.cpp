#include "evaluating/sage/summary.h"

#include <gtest/gtest.h>

#include "recording.h"

namespace compeer::evaluating::sage {
namespace {

using nlohmann::json;

// What is found in dialogues of these points.
struct Found {
  std::map<std::string, double> counts;

  void add(const json& record) {
    const auto read = recorded(record, {.rounds = 3});
    ASSERT_EQ(read.refusal, "") << read.detail;
    Outcome outcome;
    count(record, read.trajectory, outcome);
    add(outcome);
  }
  void add(const Outcome& outcome) {
    for (const auto& [name, value] : outcome.counts) counts[name] += value;
  }
  json summary() const { return sage::summary(counts, {.resamples = 200}); }
};

json with(json record, const std::string& kind, const std::string& task) {
  record["main_cha"] = kind;
  record["task"] = task;
  return record;
}

TEST(SageSummary, IsWorkedOutByHand) {
  Found found;
  found.add(with(recording("a", {40, 50, 60}, true), "open", "x"));
  found.add(with(recording("b", {40, 45, 40}, true), "open", "y"));
  auto goodbye = with(recording("c", {40, 35}, false), "closed", "x");
  goodbye["history"].back()["content"] = "再见";
  found.add(goodbye);
  const json all = found.summary();
  EXPECT_EQ(all.at("n"), 3);
  EXPECT_EQ(all.at("better"), (json{{"higher", {"mean_emotion", "success"}}, {"lower", {"failure"}}}));
  EXPECT_EQ(all.at("columns"), (json{"mean_emotion", "success", "failure", "rounds"}));
  EXPECT_DOUBLE_EQ(all.at("mean_emotion").at("value"), 45);  // (60 + 40 + 35) / 3
  EXPECT_LE(all.at("mean_emotion").at("low"), 45);
  EXPECT_GE(all.at("mean_emotion").at("high"), 45);
  EXPECT_DOUBLE_EQ(all.at("rounds").at("value"), 8.0 / 3);
  EXPECT_EQ(all.at("success").at("value"), 0);
  EXPECT_EQ(all.at("ends"), (json{{"limit", 2}, {"goodbye", 1}}));
  EXPECT_EQ(all.at("invalid"), 0);
  EXPECT_DOUBLE_EQ(all.at("kinds").at("open").at("mean_emotion").at("value"), 50);
  EXPECT_EQ(all.at("kinds").at("closed").at("n"), 1);
  EXPECT_DOUBLE_EQ(all.at("tasks").at("x").at("mean_emotion").at("value"), 47.5);
}

TEST(SageSummary, CountsSuccessAndFailureAtTheirLimits) {
  const auto ended = [](const std::string& id, int64_t last) {
    Outcome outcome;
    count({{"id", id}}, {{40, last}, End::limit}, outcome);
    return outcome;
  };
  Found found;
  found.add(ended("a", 100));
  found.add(ended("b", 10));
  found.add(ended("c", 9));
  found.add(ended("d", 99));
  const json all = found.summary();
  EXPECT_EQ(all.at("success").at("count"), 1);
  EXPECT_EQ(all.at("success").at("value"), 0.25);
  EXPECT_EQ(all.at("failure").at("count"), 1) << "exactly 10 is no failure";
  EXPECT_EQ(all.at("kinds"), json::object());
}

TEST(SageSummary, KeepsTheLastPointsOfDialoguesThatAreOver) {
  Found found;
  found.add(recording("a", {40, 50, 60}, true));
  auto goodbye = recording("b", {40, 30}, false);
  goodbye["history"].back()["content"] = "再见";
  found.add(goodbye);
  const json curve = found.summary().at("curves").at("emotion");
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_EQ(curve[0].at("value"), 40);
  EXPECT_EQ(curve[1].at("value"), 40);  // (50 + 30) / 2
  EXPECT_EQ(curve[2].at("value"), 45);  // (60 + 30) / 2
  EXPECT_EQ(curve[2].at("n"), 2);
  EXPECT_EQ(curve[1].at("open"), 2);
  EXPECT_EQ(curve[2].at("open"), 1);
}

TEST(SageSummary, CountsWhatCanNotBeScoredApart) {
  Found found;
  Outcome outcome;
  count_invalid("not ended", outcome);
  found.add(outcome);
  json all = found.summary();
  EXPECT_EQ(all.at("n"), 0);
  EXPECT_EQ(all.at("invalid"), 1);
  EXPECT_EQ(all.at("reasons"), (json{{"not ended", 1}}));
  EXPECT_TRUE(all.at("mean_emotion").at("value").is_null()) << "no number, and no zero";
  found.add(recording("a", {40, 50, 60}, true));
  EXPECT_EQ(found.summary().at("mean_emotion").at("value"), 60);
}

}  // namespace
}  // namespace compeer::evaluating::sage
