// A judge behind an endpoint, which is asked while other groups are sampled.
#include <gtest/gtest.h>

#include <numeric>

#include "../plugins/chat/server.h"
#include "small_run.h"
#include "train/step.h"

namespace compeer::train {
namespace {

using server::Seen;
using server::Server;

// Of two steps of a small run whose reward is a judge at this endpoint; what the last row says of it, too.
struct Outcome {
  std::vector<float> weights;
  double reward;
};
Outcome run_with(const Server& server, const std::optional<std::filesystem::path>& answers = std::nullopt) {
  const nlohmann::json chat{
      {"plugin", "openai"}, {"url", server.url()}, {"name", "judge"}, {"concurrent", 16}, {"key_env", "NO_KEY_HERE"}};
  const nlohmann::json judge{{"plugin", "orm"}, {"chat", chat}};
  SmallRun small(five_dialogues(),
                 {{"rewards", nlohmann::json::array({judge})},
                  {"grpo.batch", 4},
                  {"grpo.group_size", 4},
                  {"sampling.concurrent", 4}},
                 answers);
  const auto step = GrpoStep::open(small.run);
  open_journal(small.run, "grpo", step->columns(), step->values(), 2, step->records());
  MetricRow row(small.run.journal->columns());
  testing::internal::CaptureStderr();
  for (uint64_t t = 1; t <= 2; ++t) step->take(t, row);
  testing::internal::GetCapturedStderr();
  const auto weights = step->training().parameters.weights();
  return {{weights.begin(), weights.end()}, row.get("reward")};
}

// A judge of taste: what a text is worth follows from the text.
std::string verdict(const std::string& question) {
  const size_t sum = std::accumulate(question.begin(), question.end(), size_t{0},
                                     [](size_t all, char c) { return all * 31 + static_cast<unsigned char>(c); });
  return sum % 2 ? "second" : "first";
}

TEST(Waiting, GivesTheSameWeightsInWhateverOrderAnswersArrive) {
  Server prompt([](const Seen& seen) { return server::answer(verdict(server::asked(seen))); });
  const auto expected = run_with(prompt);
  for (int seed = 0; seed < 3; ++seed) {
    Server late([&](const Seen& seen) {
      auto act = server::answer(verdict(server::asked(seen)));
      act.pieces.insert(act.pieces.begin(), "HTTP/1.1 102 X\r\n\r\n");
      act.pause = verdict(seen.body + std::to_string(seed)) == "first" ? 9 : 1;
      return act;
    });
    const auto found = run_with(late);
    EXPECT_EQ(found.weights, expected.weights);
    EXPECT_EQ(found.reward, expected.reward);
  }
}

TEST(Waiting, AsksNothingThatWasAnsweredInAnEarlierStart) {
  const record::TemporaryFolder folder;
  std::atomic<int> asked = 0;
  Server counting([&](const Seen& seen) {
    ++asked;
    return server::answer(verdict(server::asked(seen)));
  });
  const auto first = run_with(counting, folder.path());
  const int paid = asked;
  EXPECT_GT(paid, 0);
  EXPECT_EQ(run_with(counting, folder.path()).weights, first.weights);
  EXPECT_EQ(asked, paid);
}

TEST(Waiting, LeavesOutCompletionsThatTheJudgeDidNotAnswer) {
  Server moody([](const Seen& seen) {
    return verdict(seen.body) == "first" ? server::fail(400, "not this one") : server::answer("first");
  });
  EXPECT_EQ(run_with(moody).reward, -1) << "of those that were judged, all are worse; the others count for nothing";
}

TEST(Waiting, EndsTheStepWithTheEndpointsErrorWhereNobodyMayAsk) {
  Server closed([](const Seen&) { return server::fail(401, "no key"); });
  const auto text = complaint([&] { run_with(closed); });
  EXPECT_NE(text.find("HTTP 401: no key"), std::string::npos) << text;
}

}  // namespace
}  // namespace compeer::train
