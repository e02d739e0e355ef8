#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "built.h"
#include "reweighting/redundancy/equations.h"

namespace compeer {
namespace {

using nlohmann::json;

// "a b" and "a c" after a user's "a b": with hashed_ngrams s_in = 1/3 for both, s_hi = 1 and 1/3.
const Example example{.id = "x", .history = {{"system", "a c"}, {"user", "a b"}}, .answer = "", .record = {}};
const auto pair = built::completions({"a b", "a c"}, 5);

std::vector<double> rows(const json& settings, const Example& of = example,
                         const std::vector<Completion>& outputs = pair, std::unique_ptr<Host> host = nullptr) {
  auto plugin = built::open<Reweighting>("redundancy", settings, std::move(host));
  std::vector<double> rewards;
  for (size_t i = 0; i < outputs.size(); ++i) rewards.push_back(i % 2 ? -3.0 : 3.0);
  return built::values(plugin::reweight(plugin, {of, outputs}, rewards, plugin::factors(plugin)));
}

void expect_rows(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_DOUBLE_EQ(got[i], wanted[i]) << "row " << i / 6 << " column " << i % 6;
}

TEST(Redundancy, LogsItsFactors) {
  auto plugin = built::open<Reweighting>("redundancy");
  EXPECT_EQ(plugin::factors(plugin), (std::vector<std::string>{"s_in", "s_hi", "tau", "divisor", "negative"}));
}

TEST(Redundancy, IsEquation5InPaperMode) {
  // tau 1: (1 + 1/3) (1 + 1) = 8/3 and (1 + 1/3) (1 + 1/3) = 16/9;  3 / (8/3) = 9/8, -3 / (16/9) = -27/16.
  expect_rows(rows({{"tau", 1.0}}), {9.0 / 8, 1.0 / 3, 1.0, 1.0, 8.0 / 3, 0.0,  //
                                     -27.0 / 16, 1.0 / 3, 1.0 / 3, 1.0, 16.0 / 9, 1.0});
}

TEST(Redundancy, MultipliesNegativeRewardsInSignedMode) {
  expect_rows(rows({{"tau", 1.0}, {"mode", "signed"}}), {9.0 / 8, 1.0 / 3, 1.0, 1.0, 8.0 / 3, 0.0,  //
                                                         -16.0 / 3, 1.0 / 3, 1.0 / 3, 1.0, 16.0 / 9, 1.0});
}

TEST(Redundancy, TakesTauFromTheGroupsAverageLength) {
  const auto tau = [](const json& settings, int64_t first, int64_t second) {
    auto outputs = pair;
    outputs[0].tokens = first, outputs[1].tokens = second;
    return rows(settings, example, outputs)[3];
  };
  EXPECT_EQ(tau(json::object(), 3, 7), 0.5);                                                           // L = 5 = beta
  EXPECT_DOUBLE_EQ(tau(json::object(), 6, 8), 1.0 / (1.0 + std::exp(-0.5 * 2.0)));                     // L = 7
  EXPECT_DOUBLE_EQ(tau({{"unit", "words"}}, 9, 9), 1.0 / (1.0 + std::exp(1.5)));                       // L = 2
  EXPECT_DOUBLE_EQ(tau({{"unit", "characters"}, {"alpha", 1.0}}, 9, 9), 1.0 / (1.0 + std::exp(2.0)));  // L = 3
}

TEST(Redundancy, OfASingleCompletionWithoutHistoryChangesNothing) {
  expect_rows(rows({{"tau", 1.0}}, Example(), built::completions({"a b"})), {3.0, 0.0, 0.0, 1.0, 1.0, 0.0});
}

TEST(Redundancy, ComparesRepliesUnlessToldOtherwise) {
  const std::string steps = "<history>same</history><emotion>same</emotion><strategy>same</strategy>\n";
  const auto outputs = built::completions({steps + "a b", steps + "c d"});
  EXPECT_EQ(rows({{"tau", 1.0}}, example, outputs)[1], 0.0);
  // Words history 2, same 3, emotion 2, strategy 2, a, b: squares 23; ten pairs, once each. All are shared except a, b
  // and the pairs that contain them: (21 + 8) / (23 + 10).
  EXPECT_DOUBLE_EQ(rows({{"tau", 1.0}, {"on", "completion"}}, example, outputs)[1], 29.0 / 33.0);
}

TEST(Redundancy, LooksAtTheRepliesWithinEarlierAnswers) {
  const Example later{.id = "x",
                      .history = {{"user", "a b"},
                                  {"assistant", "<history>q</history><emotion>q</emotion><strategy>q</strategy>\nx y"},
                                  {"user", "z"}},
                      .answer = "",
                      .record = {}};
  const auto outputs = built::completions({"x y"});
  EXPECT_DOUBLE_EQ(rows({{"tau", 1.0}}, later, outputs)[2], 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(rows({{"tau", 1.0}, {"history", "assistant"}}, later, outputs)[2], 1.0);
}

// {x, a, x a} and {x, b, x b} share one of three; without the user's a, {x, x a} and {x, b, x b} share one of sqrt(2
// 3).
TEST(Redundancy, MayLeaveOutWhatTheUserSaid) {
  const Example of{.id = "x", .history = {{"user", "a"}, {"assistant", "b"}}, .answer = "", .record = {}};
  const auto outputs = built::completions({"x a", "x b"});
  const auto counted = rows({{"tau", 1.0}}, of, outputs),
             left_out = rows({{"tau", 1.0}, {"ignore_user_words", true}}, of, outputs);
  EXPECT_DOUBLE_EQ(counted[1], 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(left_out[1], 1.0 / std::sqrt(6.0));
  EXPECT_DOUBLE_EQ(counted[2], 1.0 / std::sqrt(3.0) / 2);
  EXPECT_DOUBLE_EQ(left_out[2], 0.0);
  EXPECT_DOUBLE_EQ(left_out[6 + 2], 1.0 / std::sqrt(3.0) / 2) << "an earlier answer's words count";
}

// By Eq. 5 the first, which is less similar to the user's turn, gets 3 / (16/9), the second -3 / (8/3). The mean
// divisor is 20/9.
TEST(Redundancy, GivesNoBonusForASlip) {
  auto outputs = built::completions({"a c", "a b"});
  outputs[0].least_log_prob = outputs[1].least_log_prob = std::log(0.02);
  const json settings{{"tau", 1.0}, {"min_token_probability", 0.01}};
  EXPECT_EQ(rows(settings, example, outputs), rows({{"tau", 1.0}}, example, outputs));
  outputs[0].least_log_prob = outputs[1].least_log_prob = std::log(0.005);
  const auto all = rows(settings, example, outputs);
  EXPECT_DOUBLE_EQ(all[0], 27.0 / 20);
  EXPECT_DOUBLE_EQ(all[4], 20.0 / 9);
  EXPECT_DOUBLE_EQ(all[6], -27.0 / 20) << "to be divided by more is a bonus, too, for a negative reward";
  // A completion that is more redundant than the others has no bonus to lose.
  std::swap(outputs[0], outputs[1]);
  EXPECT_EQ(rows(settings, example, outputs), rows({{"tau", 1.0}}, example, outputs));
}

// A similarity of -1 between all different texts; records its log.
class Contrary : public Host, private Similarity {
 public:
  explicit Contrary(std::string* logged = nullptr) : logged_(logged) {}
  void log(const std::string& message) override {
    if (logged_) *logged_ += message + "\n";
  }
  double random(uint32_t, uint32_t, uint32_t) override { return 0.5; }
  Similarity& similarity(const Settings&) override { return *this; }
  Chat& chat(const Settings&) override { throw std::logic_error("no chat models here"); }
  LanguageModel& language_model(const std::string&) override { throw std::logic_error("no language models here"); }
  std::vector<std::vector<float>> embed(const std::vector<std::string>&) override { return {}; }
  std::string folder() const override { return ""; }
  bool cancelled() const override { return false; }
  const TextTokenizer& tokenizer() const override { throw std::logic_error("no tokenizer here"); }

 private:
  std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) override {
    return {a.size(), std::vector<double>(b.size(), -1.0)};
  }
  std::string* logged_;
};

TEST(Redundancy, RefusesADivisorOfZero) {
  try {
    rows({{"tau", 1.0}}, example, pair, std::make_unique<Contrary>());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::plugin);
    EXPECT_TRUE(error.where().starts_with("reweighting/redundancy 1.0.0 (")) << error.where();
    EXPECT_TRUE(
        error.problem().ends_with("tau = 1.000000, s_in = -1.000000, s_hi = -1.000000; set clamp_negative = true"))
        << error.problem();
  }
}

TEST(Redundancy, RefusesASimilarityThatCantLeaveOutWhatTheUserSaid) {
  try {
    rows({{"ignore_user_words", true}}, example, pair, std::make_unique<Contrary>());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::plugin);
    EXPECT_EQ(error.problem(), "can't ignore words copied from the user's turns");
  }
}

TEST(Redundancy, ClampsSimilaritiesIfAsked) {
  expect_rows(rows({{"tau", 1.0}, {"clamp_negative", true}}, example, pair, std::make_unique<Contrary>()),
              {3.0, 0.0, 0.0, 1.0, 1.0, 0.0, -3.0, 0.0, 0.0, 1.0, 1.0, 1.0});
}

TEST(Redundancy, SaysOnceThatTheLengthCoefficientIsIdle) {
  std::string logged;
  auto plugin = built::open<Reweighting>("redundancy", {{"clamp_negative", true}}, std::make_unique<Contrary>(&logged));
  const std::vector<double> rewards{1, 1};
  const auto brief = built::completions({"a", "b"}, 5), lengthy = built::completions({"a", "b"}, 40);
  const auto names = plugin::factors(plugin);
  plugin::reweight(plugin, {example, brief}, rewards, names);
  EXPECT_EQ(logged, "");
  plugin::reweight(plugin, {example, lengthy}, rewards, names);
  plugin::reweight(plugin, {example, lengthy}, rewards, names);
  EXPECT_EQ(std::count(logged.begin(), logged.end(), '\n'), 1);
  EXPECT_NE(logged.find("the length coefficient (Eq. 7) is at its maximum"), std::string::npos) << logged;
}

TEST(Redundancy, NamesASimilarityThatIsNotThere) {
  try {
    built::open<Reweighting>("redundancy", {{"similarity", {{"plugin", "hashed_ngram"}}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "similarity/hashed_ngram: no such plugin");
    EXPECT_TRUE(error.help().starts_with("did you mean 'hashed_ngrams'?")) << error.help();
  }
}

TEST(Redundancy, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reweighting>("redundancy");
  built::keeps_contract(plugin);
}

std::vector<double> dra_rows(const std::vector<std::string>& texts, const std::vector<double>& rewards,
                             const nlohmann::json& settings = nlohmann::json::object()) {
  auto plugin = built::open<Reweighting>("dra", settings);
  return built::values(
      plugin::reweight(plugin, {Example(), built::completions(texts)}, rewards, plugin::factors(plugin)));
}

TEST(Dra, LogsItsFactors) {
  auto plugin = built::open<Reweighting>("dra");
  EXPECT_EQ(plugin::factors(plugin), (std::vector<std::string>{"in_common", "weight"}));
}

// With hashed_ngrams "a b" and "a c" have the cosine 1/3, and both have 0 with "d e".
TEST(Dra, DividesByTheSumOfSimilaritiesItselfIncluded) {
  const auto got = dra_rows({"a b", "a c", "d e"}, {3.0, -3.0, 2.0});
  const std::vector<double> wanted{3.0 / (4.0 / 3 + 1e-6),  4.0 / 3, 1.0 / (4.0 / 3 + 1e-6),
                                   -3.0 / (4.0 / 3 + 1e-6), 4.0 / 3, 1.0 / (4.0 / 3 + 1e-6),
                                   2.0 / (1.0 + 1e-6),      1.0,     1.0 / (1.0 + 1e-6)};
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-12) << i;
}

TEST(Dra, OfEqualCompletionsDividesByTheirNumber) {
  const auto got = dra_rows({"a b", "a b", "a b", "a b"}, {1.0, 1.0, 1.0, 1.0});
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[3 * i], 1.0 / (4.0 + 1e-6), 1e-12);
}

TEST(Dra, ComparesWholeCompletionsUnlessToldOtherwise) {
  const std::string steps = "<history>same</history><emotion>same</emotion><strategy>same</strategy>\n";
  EXPECT_GT(dra_rows({steps + "a b", steps + "c d"}, {1.0, 1.0})[1], 1.5);
  EXPECT_EQ(dra_rows({steps + "a b", steps + "c d"}, {1.0, 1.0}, {{"on", "reply"}})[1], 1.0);
}

TEST(None, ReturnsRewardsAsTheyAre) {
  auto plugin = built::open<Reweighting>("none");
  EXPECT_TRUE(plugin::factors(plugin).empty());
  const auto two = built::completions({"a", "b"});
  const std::vector<double> rewards{0.1, -3.0};
  EXPECT_EQ(built::values(plugin::reweight(plugin, {Example(), two}, rewards, {})), rewards);
}

TEST(None, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reweighting>("none");
  built::keeps_contract(plugin);
}

}  // namespace
}  // namespace compeer

namespace compeer::redundancy {
namespace {

TEST(Tau, IsHalfAtBetaAndRisesWithLength) {
  EXPECT_EQ(tau(0.5, 5.0, 5.0), 0.5);
  EXPECT_DOUBLE_EQ(tau(0.5, 5.0, 1.0), 1.0 / (1.0 + std::exp(2.0)));
  EXPECT_DOUBLE_EQ(tau(0.5, 5.0, 15.0), 1.0 / (1.0 + std::exp(-5.0)));
  EXPECT_GT(tau(0.5, 5.0, 15.0), 0.99) << "idle from about 15 tokens on";
  EXPECT_EQ(tau(0.5, 5.0, 1e9), 1.0);
}

TEST(Reweight, DividesByBothFactors) {
  // (1 + .5 .5) (1 + .5 .25) = 1.25 1.125 = 1.40625;  2 / 1.40625 = 1.4222...
  const auto [reward, divisor] = reweight(2.0, 0.5, 0.25, 0.5, Mode::paper);
  EXPECT_EQ(divisor, 1.40625);
  EXPECT_EQ(reward, 2.0 / 1.40625);
  EXPECT_EQ(reweight(2.0, 0.5, 0.25, 0.5, Mode::signed_).reward, reward);
}

TEST(Reweight, OfANegativeRewardIsWhereTheModesDiffer) {
  EXPECT_EQ(reweight(-2.0, 0.5, 0.25, 0.5, Mode::paper).reward, -2.0 / 1.40625) << "towards 0";
  EXPECT_EQ(reweight(-2.0, 0.5, 0.25, 0.5, Mode::signed_).reward, -2.8125) << "away from 0";
}

TEST(Reweight, ChangesNothingWithoutRedundancyOrForShortOutputs) {
  EXPECT_EQ(reweight(-1.5, 0.0, 0.0, 1.0, Mode::paper).reward, -1.5);
  EXPECT_EQ(reweight(1.5, 1.0, 1.0, 0.0, Mode::paper).reward, 1.5);
}

TEST(Reweight, RefusesADivisorThatIsNotPositive) {
  try {
    reweight(1.0, -1.0, 0.5, 1.0, Mode::paper);
    FAIL();
  } catch (const std::domain_error& error) {
    EXPECT_STREQ(error.what(),
                 "both factors of the divisor (1 + tau s_in) (1 + tau s_hi) in Eq. 5 must be above 0: tau = 1.000000, "
                 "s_in = -1.000000, s_hi = 0.500000; set clamp_negative = true");
  }
  EXPECT_THROW(reweight(1.0, -1.0, -1.0, 1.0, Mode::paper), std::domain_error) << "0 times 0";
}

TEST(InGroup, IsTheMeanOverTheOthers) {
  const double row[] = {1.0, 0.5, 0.25, 0.0};
  EXPECT_EQ(in_group(row, 0, 4), 0.25);  // (.5 + .25 + 0) / 3
  EXPECT_EQ(in_group(row, 3, 4), 1.75 / 3);
  EXPECT_EQ(in_group(row, 0, 1), 0.0) << "no others";
}

TEST(InHistory, IsTheMeanOverUtterances) {
  const double row[] = {0.5, 0.25};
  EXPECT_EQ(in_history(row, 2), 0.375);
  EXPECT_EQ(in_history(row, 0), 0.0) << "no history";
}

}  // namespace
}  // namespace compeer::redundancy
