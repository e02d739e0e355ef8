#include "built.h"

namespace compeer {

namespace {

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
