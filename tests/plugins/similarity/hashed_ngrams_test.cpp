#include "built.h"

namespace compeer {

namespace {

double cosine(const std::string& a, const std::string& b, const nlohmann::json& settings = nlohmann::json::object()) {
  auto plugin = built::open<Similarity>("hashed_ngrams", settings);
  return built::values(plugin::compare(plugin, {a}, {b})).at(0);
}

TEST(HashedNgrams, CountsWordsAndPairs) {
  // {a, b, a b} and {a, c, a c}: one of three in common, 1 / sqrt(3 3).
  EXPECT_DOUBLE_EQ(cosine("a b", "a c"), 1.0 / 3.0);
  // {a: 2, b, a a, a b} and {a, b, a b}: (2 + 1 + 1) / sqrt(7 3).
  EXPECT_DOUBLE_EQ(cosine("a a b", "a b"), 4.0 / std::sqrt(21.0));
  // 我 很 难 过 我很 很难 难过, and 我 很 好 我很 很好: three in common, 3 / sqrt(7 5).
  EXPECT_DOUBLE_EQ(cosine("我很难过", "我很好"), 3.0 / std::sqrt(35.0));
}

TEST(HashedNgrams, CountsAsManyWordsInARowAsItIsTold) {
  EXPECT_DOUBLE_EQ(cosine("a b", "a c", {{"n_max", 1}}), 0.5);
  // {a, b, c, a b, b c, a b c} and {a, b, d, a b, b d, a b d}: three of six.
  EXPECT_DOUBLE_EQ(cosine("a b c", "a b d", {{"n_max", 3}}), 0.5);
}

TEST(HashedNgrams, IsExactlyOneForTheSameWords) {
  EXPECT_EQ(cosine("Hello, World! How are you?", "hello world how are you"), 1.0);
}

TEST(HashedNgrams, IsZeroWithoutContentOrWithNothingInCommon) {
  EXPECT_EQ(cosine("", "a"), 0.0);
  EXPECT_EQ(cosine("...", "..."), 0.0);
  EXPECT_EQ(cosine("a b", "c d"), 0.0);
}

// {a, b, c, a b, b c} and {a, b, d, a b, b d}: three of five in common; without a, b and a b nothing is.
TEST(HashedNgrams, LeavesOutWhatWasSaid) {
  auto plugin = built::open<Similarity>("hashed_ngrams");
  const auto beyond = [&](const std::vector<std::string>& said) {
    return built::values(plugin::compare(plugin, {"a b c"}, {"a b d"}, said)).at(0);
  };
  EXPECT_DOUBLE_EQ(beyond({}), 0.6);
  EXPECT_DOUBLE_EQ(beyond({"A b!"}), 0.0);
  EXPECT_DOUBLE_EQ(beyond({"b", "x"}), 0.5) << "{a, c, a b, b c} and {a, d, a b, b d}";
}

TEST(HashedNgrams, KeepsRowsAndColumnsInOrder) {
  auto plugin = built::open<Similarity>("hashed_ngrams");
  const auto cosines = built::values(plugin::compare(plugin, {"x", "a"}, {"a", "b", "x"}));
  EXPECT_EQ(cosines, (std::vector<double>{0, 0, 1, 1, 0, 0}));
}

TEST(HashedNgrams, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Similarity>("hashed_ngrams");
  built::keeps_contract(plugin);
}

}  // namespace

}  // namespace compeer
