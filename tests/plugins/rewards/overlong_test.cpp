#include "built.h"

namespace compeer {

namespace {

using nlohmann::json;

std::vector<double> scores(const json& settings, const std::vector<int64_t>& lengths) {
  std::vector<Completion> completions;
  for (const int64_t tokens : lengths) completions.push_back({"", tokens, true});
  auto plugin = built::open<Reward>("overlong", settings);
  return built::values(plugin::score(plugin, {Example(), completions}, plugin::columns(plugin)));
}

TEST(Overlong, GrowsOverTheCacheAndStopsAtMinusOne) {
  EXPECT_EQ(scores({{"most", 100}, {"cache", 20}}, {50, 80, 90, 100, 110}), (std::vector<double>{0, 0, -0.5, -1, -1}));
}

// With half its weight and no floor: rewards 1, .8, .6, .4 become 1, .6, .1, -.6.
TEST(Overlong, GoesOnFallingWithoutALeast) {
  EXPECT_EQ(scores({{"most", 25}, {"cache", 5}, {"least", nullptr}}, {10, 22, 25, 30}),
            (std::vector<double>{0, static_cast<double>(-0.4F), -1, -2}));
}

TEST(Overlong, RefusesACacheLargerThanTheWhole) {
  try {
    built::open<Reward>("overlong", {{"most", 10}, {"cache", 20}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "cache is larger than most: even no tokens would be too many");
  }
}

TEST(Overlong, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reward>("overlong", {{"most", 64}, {"cache", 16}});
  built::keeps_contract(plugin);
}

}  // namespace

}  // namespace compeer
