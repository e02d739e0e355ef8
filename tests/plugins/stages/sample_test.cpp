#include <array>
#include <cmath>

#include "../built.h"
#include "base/random.h"
#include "stages/sample/draw.h"

namespace compeer::stages {
namespace {

using nlohmann::json;

TEST(Sampling, ProbabilitiesAreThoseOfEquation1) {
  // N_r = 4: mu = 2, sigma = 1: exp(-1/2), 1, exp(-1/2), exp(-2).
  const auto p = round_probabilities(4);
  const double sum = 1 + 2 * std::exp(-0.5) + std::exp(-2.0);
  EXPECT_DOUBLE_EQ(p[0], std::exp(-0.5) / sum);
  EXPECT_DOUBLE_EQ(p[1], 1 / sum);
  EXPECT_DOUBLE_EQ(p[2], p[0]);
  EXPECT_DOUBLE_EQ(p[3], std::exp(-2.0) / sum);
  EXPECT_EQ(round_probabilities(1), std::vector<double>{1.0});
}

TEST(Sampling, TakesAllRoundsIfThereAreNoMoreThanWanted) {
  const auto never = [](size_t) -> double { throw std::logic_error("nothing is drawn"); };
  EXPECT_EQ(draw_rounds(1, 1, never), (std::vector<size_t>{0}));
  EXPECT_EQ(draw_rounds(3, 3, never), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(draw_rounds(3, 9, never), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(draw_rounds(0, 2, never), (std::vector<size_t>{}));
}

TEST(Sampling, ExtremeDrawsStayInRange) {
  for (const double u : {0.0, std::nextafter(1.0, 0.0)}) {
    const auto rounds = draw_rounds(50, 49, [&](size_t) { return u; });
    EXPECT_EQ(rounds.size(), 49u);
    EXPECT_TRUE(std::is_sorted(rounds.begin(), rounds.end()));
    EXPECT_EQ(std::adjacent_find(rounds.begin(), rounds.end()), rounds.end());
  }
}

// The probability of drawing {i, j} without replacement, in either order.
double pair_probability(const std::vector<double>& p, size_t i, size_t j) {
  return p[i] * p[j] / (1 - p[i]) + p[j] * p[i] / (1 - p[j]);
}

TEST(Sampling, PairsHaveTheProbabilitiesOfDrawingWithoutReplacement) {
  constexpr size_t rounds = 6;
  constexpr int dialogues = 60000;
  std::array<std::array<int, rounds>, rounds> seen = {};
  for (uint32_t dialogue = 0; dialogue < dialogues; ++dialogue) {
    const auto drawn = draw_rounds(
        rounds, 2, [&](size_t k) { return uniform(1, Stream::plugin, dialogue, static_cast<uint32_t>(k)); });
    ASSERT_EQ(drawn.size(), 2u);
    ASSERT_LT(drawn[0], drawn[1]);
    ++seen[drawn[0]][drawn[1]];
  }
  const auto p = round_probabilities(rounds);
  double chi_square = 0, total = 0;
  for (size_t i = 0; i < rounds; ++i) {
    for (size_t j = i + 1; j < rounds; ++j) {
      const double expected = dialogues * pair_probability(p, i, j);
      total += pair_probability(p, i, j);
      chi_square += (seen[i][j] - expected) * (seen[i][j] - expected) / expected;
    }
  }
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_LT(chi_square, 36.12) << "14 degrees of freedom: exceeded once in a thousand";
}

json dialogue(const std::string& id, int rounds) {
  json turns = json::array();
  for (int i = 0; i < rounds; ++i) {
    turns.push_back({{"role", "user"}, {"text", "u" + std::to_string(i)}});
    turns.push_back({{"role", "assistant"}, {"text", "a" + std::to_string(i)}, {"labels", {{"n", i}}}});
  }
  return {{"id", id}, {"turns", turns}, {"language", "en"}};
}

TEST(Sample, ARecordHasTheHistoryUpToItsRoundAndWhatWasSaid) {
  auto plugin = built::open<Stage>("sample", {{"rounds", 5}});
  const auto outcomes = plugin::make(plugin, {dialogue("d", 2)});
  ASSERT_EQ(outcomes[0].records.size(), 2u);
  EXPECT_EQ(outcomes[0].records[1].dump(),
            R"({"dialogue":"d","history":[{"role":"user","text":"u0"},{"role":"assistant","text":"a0"},)"
            R"({"role":"user","text":"u1"}],"id":"d/1","labels":{"n":1},"language":"en","reference":"a1","round":1,)"
            R"("rounds":2})");
}

TEST(Sample, ARecordHasWhatIsSaidOfTheTurnsAroundItsReply) {
  json one = dialogue("d", 3);
  one["turns"][2]["labels"] = {{"emotion", {"sadness"}}};
  one["turns"][4]["labels"] = {{"feedback", {"5"}}};
  auto plugin = built::open<Stage>("sample", {{"rounds", 3}});
  const auto records = plugin::make(plugin, {one})[0].records;
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].at("seeker").dump(), R"({"after":{"emotion":["sadness"]}})");
  EXPECT_EQ(records[1].at("seeker").dump(), R"({"after":{"feedback":["5"]},"before":{"emotion":["sadness"]}})");
  EXPECT_EQ(records[2].at("seeker").dump(), R"({"before":{"feedback":["5"]}})") << "nobody answers it";
}

TEST(Sample, PutsTheReferenceOnOneLine) {
  json one = dialogue("d", 1);
  one["turns"][1]["text"] = "a\nb  c\n";
  auto plugin = built::open<Stage>("sample");
  EXPECT_EQ(plugin::make(plugin, {one})[0].records.at(0).at("reference"), "a b c");
}

TEST(Sample, RefusesARoundInPlaceOfADialogue) {
  json round = dialogue("d", 2);
  round["reference"] = "a2";
  auto plugin = built::open<Stage>("sample", {{"rounds", 3}});
  try {
    plugin::make(plugin, {round});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("record 'd': is already a round: it has a reply"), std::string::npos)
        << error.what();
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST(Sample, TakesTheLastTurnsOfAHistory) {
  auto plugin = built::open<Stage>("sample", {{"rounds", 5}, {"turns", 2}});
  const auto records = plugin::make(plugin, {dialogue("d", 3)})[0].records;
  EXPECT_EQ(records.at(0).at("history").size(), 1u);
  EXPECT_EQ(records.at(2).at("history").dump(), R"([{"role":"assistant","text":"a1"},{"role":"user","text":"u2"}])");
  EXPECT_EQ(records.at(2).at("rounds"), 3);
}

TEST(Sample, DoesNotDependOnTheRecordsAroundIt) {
  auto plugin = built::open<Stage>("sample", {{"rounds", 3}});
  const auto together = plugin::make(plugin, {dialogue("a", 9), dialogue("b", 9)});
  const auto alone = plugin::make(plugin, {dialogue("b", 9)});
  EXPECT_EQ(together[1].records, alone[0].records);
  EXPECT_EQ(alone[0].records.size(), 3u);
}

TEST(Sample, DropsWhatHasNoRoundAndSaysWhatItNeeds) {
  auto plugin = built::open<Stage>("sample");
  const json monologue = {{"id", "m"}, {"turns", {{{"role", "assistant"}, {"text", "hello"}}}}};
  EXPECT_EQ(plugin::make(plugin, {monologue})[0].dropped, "no round");
  try {
    plugin::make(plugin, {{{"id", "x"}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "record 'x' has no turns: sample whole dialogues");
  }
}

}  // namespace
}  // namespace compeer::stages
