#include "built.h"

namespace compeer {

namespace {

std::vector<double> rows(const std::vector<std::string>& texts, const std::vector<double>& rewards,
                         const nlohmann::json& settings = nlohmann::json::object()) {
  auto plugin = built::open<Reweighting>("dra", settings);
  return built::values(
      plugin::reweight(plugin, {Example(), built::completions(texts)}, rewards, plugin::factors(plugin)));
}

TEST(Dra, LogsItsFactors) {
  auto plugin = built::open<Reweighting>("dra");
  EXPECT_EQ(plugin::factors(plugin), (std::vector<std::string>{"in_common", "weight"}));
}

// With hashed_ngrams "a b" and "a c" have cosine 1/3, and either 0 with "d e".
TEST(Dra, DividesByTheSumOfSimilaritiesItselfIncluded) {
  const auto got = rows({"a b", "a c", "d e"}, {3.0, -3.0, 2.0});
  const std::vector<double> wanted{3.0 / (4.0 / 3 + 1e-6),  4.0 / 3, 1.0 / (4.0 / 3 + 1e-6),
                                   -3.0 / (4.0 / 3 + 1e-6), 4.0 / 3, 1.0 / (4.0 / 3 + 1e-6),
                                   2.0 / (1.0 + 1e-6),      1.0,     1.0 / (1.0 + 1e-6)};
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-12) << i;
}

TEST(Dra, OfEqualCompletionsDividesByTheirNumber) {
  const auto got = rows({"a b", "a b", "a b", "a b"}, {1.0, 1.0, 1.0, 1.0});
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[3 * i], 1.0 / (4.0 + 1e-6), 1e-12);
}

TEST(Dra, ComparesWholeCompletionsUnlessToldOtherwise) {
  const std::string steps = "<history>same</history><emotion>same</emotion><strategy>same</strategy>\n";
  EXPECT_GT(rows({steps + "a b", steps + "c d"}, {1.0, 1.0})[1], 1.5);
  EXPECT_EQ(rows({steps + "a b", steps + "c d"}, {1.0, 1.0}, {{"on", "reply"}})[1], 1.0);
}

}  // namespace
}  // namespace compeer
