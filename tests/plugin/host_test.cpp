#include "plugin/host.h"

#include "actors.h"
#include "plugin/calls.h"

namespace compeer::plugin {

namespace {

TEST(RunHost, DrawsRandomNumbersFromSeedAndPluginAlone) {
  const auto one = services();
  auto other = services();
  other.seed = 2;
  RunHost length({"rewards", "length", "/a/length.so", ""}, one), again({"rewards", "length", "/b/length.so", ""}, one);
  RunHost prm({"rewards", "prm", "/a/prm.so", ""}, one), seed({"rewards", "length", "/a/length.so", ""}, other);
  const double drawn = length.random(1, 2, 3);
  EXPECT_GE(drawn, 0.0);
  EXPECT_LT(drawn, 1.0);
  length.random(9, 9, 9);
  EXPECT_EQ(length.random(1, 2, 3), drawn) << "not a sequence";
  EXPECT_EQ(again.random(1, 2, 3), drawn) << "wherever the library lies";
  EXPECT_NE(length.random(1, 2, 4), drawn);
  EXPECT_NE(prm.random(1, 2, 3), drawn);
  EXPECT_NE(seed.random(1, 2, 3), drawn);
}

TEST(RunHost, PassesOnLogFolderAndCancellation) {
  std::string logged;
  bool stop = false;
  auto shared = services();
  shared.log = [&](const std::string& plugin, const std::string& text) { logged = plugin + ": " + text; };
  shared.cancelled = [&] { return stop; };
  RunHost host({"rewards", "length", "/a/rewards/length.so", ""}, shared);
  host.log("hello");
  EXPECT_EQ(logged, "rewards/length: hello");
  EXPECT_EQ(host.folder(), "/a/rewards");
  EXPECT_FALSE(host.cancelled());
  stop = true;
  EXPECT_TRUE(host.cancelled());
}

TEST(RunHost, OpensASimilarityOnceForItsSettings) {
  std::string made;
  auto shared = services();
  shared.log = [&](const std::string& plugin, const std::string& text) { made += plugin + ": " + text + "\n"; };
  RunHost host(library("actor", "rewards", "actor"), shared);
  EXPECT_EQ(made, "") << "not before it is asked for";
  const Settings plain(nlohmann::json{{"plugin", "mirror"}}),
      half(nlohmann::json{{"plugin", "mirror"}, {"value", 0.5}});
  auto& mirror = host.similarity(plain);
  EXPECT_EQ(&host.similarity(plain), &mirror);
  EXPECT_EQ(mirror.compare({"a"}, {"b", "c"})[0][1], 0.25);
  EXPECT_EQ(host.similarity(half).compare({"a"}, {"b"})[0][0], 0.5);
  EXPECT_EQ(made, "similarity/mirror: made with 0.250000\nsimilarity/mirror: made with 0.500000\n");
}

TEST(RunHost, HasEmbeddingsWhereThereIsAPolicy) {
  auto shared = services();
  RunHost host(library("actor", "rewards", "actor"), shared);
  const auto error = error_of([&] { host.embed({"a"}); });
  EXPECT_EQ(error.where(), "rewards/actor");
  EXPECT_EQ(error.problem(), "asks for embeddings by the policy, but there is none");
  shared.embed = [](const std::vector<std::string>& texts) { return std::vector(texts.size(), std::vector{0.5f}); };
  EXPECT_EQ(host.embed({"a", "b"}), std::vector(2, std::vector{0.5f}));
}

TEST(RunHost, LetsAPluginUseASimilarity) {
  const auto shared = services();
  auto plugin = actor("compare", shared);
  const Example example;
  const std::vector<Completion> one(1);
  EXPECT_EQ(score(plugin, {example, one}, {"style", "quality"}).at("style")[0], 0.25);
}

TEST(RunHost, BlamesTheSimilarityNotWhoAskedForIt) {
  const auto shared = services("wild");
  auto plugin = actor("compare", shared);
  const Example example;
  const std::vector<Completion> one(1);
  const auto error = error_of([&] { score(plugin, {example, one}, {"style", "quality"}); });
  EXPECT_TRUE(error.where().starts_with("similarity/mirror 1.0.0 (")) << error.where();
  EXPECT_TRUE(error.where().ends_with("), in compare()")) << error.where();
}

TEST(RunHost, SaysWhyASimilarityCantBeHad) {
  const auto problem = [](const std::string& set) {
    const auto shared = services(set);
    return std::string(error_of([&] { actor("ask for a similarity", shared); }).what());
  };
  EXPECT_NE(problem("needy").find("plugin similarity/mirror needs the setting 'value'"), std::string::npos);
  EXPECT_NE(problem("circle").find("similarity/mirror: is asked for while it is being made"), std::string::npos);
  const auto missing = problem("actor");
  EXPECT_TRUE(missing.starts_with(in("make") + ": similarity/mirror: no such plugin")) << missing;
}

}  // namespace

}  // namespace compeer::plugin
