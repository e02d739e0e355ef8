#include "spec/draft.h"

#include <gtest/gtest.h>

#include "fake_catalog.h"
#include "spec/dotted.h"

namespace compeer::spec {
namespace {

Draft draft(const std::string& text) { return parse_toml(text, "x.toml"); }
std::string refused(const Draft& base, const std::string& path) {
  return complaint([&] { with(base, {{path, 1, "s.lua:3"}}); });
}

TEST(ParsePath, ReadsKeysIndicesAndQuotedKeys) {
  const auto steps = parse_path("rewards[10].\"a.b\".0", "");
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0].key, "rewards");
  EXPECT_EQ(steps[1].index, 10u);
  EXPECT_EQ(steps[2].key, "a.b");
  EXPECT_TRUE(steps[3].is_index);
}

TEST(ParsePath, RefusesWhatIsNoPath) {
  for (const std::string path : {"", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[1", "a]", "a b", "\"a", "[0"}) {
    EXPECT_EQ(complaint([&] { parse_path(path, "s.lua:3"); }),
              "s.lua:3|'" + path + "' is not the path of a setting|write it as grpo.lr or rewards[0].weight|3");
  }
  std::string long_path = "a";
  for (int i = 0; i < 100000; ++i) long_path += ".a";
  EXPECT_NE(complaint([&] { parse_path(long_path, ""); }), "");
}

TEST(Parent, TakesOffTheLastPart) {
  EXPECT_EQ(parent("rewards[0].weight"), "rewards[0]");
  EXPECT_EQ(parent("rewards[0]"), "rewards");
  EXPECT_EQ(parent("rewards"), "");
  EXPECT_EQ(parent("model.\"a.b\""), "model");
}

TEST(Set, MakesTablesOnTheWay) {
  Draft made;
  set(made, "model.config.hidden_size", 64, "s.lua:3");
  EXPECT_EQ(made.values.dump(), R"({"model":{"config":{"hidden_size":64}}})");
  EXPECT_EQ(made.origins.at("model.config.hidden_size"), "s.lua:3");
  EXPECT_EQ(made.origins.at("model"), "s.lua:3");
}

TEST(Set, ReachesIntoListsBothWays) {
  auto made = draft("[[rewards]]\nplugin = \"a\"\n");
  set(made, "rewards[0].weight", 2, "--set");
  set(made, "rewards.0.label", "l", "--set");
  set(made, "rewards[1].plugin", "b", "--set");
  EXPECT_EQ(made.values.dump(), R"({"rewards":[{"label":"l","plugin":"a","weight":2},{"plugin":"b"}]})");
  EXPECT_EQ(made.origins.at("rewards[0].weight"), "--set");
  EXPECT_EQ(made.origins.at("rewards[0].plugin"), "x.toml:2");
}

TEST(Set, SaysWhatStandsInTheWay) {
  const auto base = draft("name = \"x\"\n[[rewards]]\nplugin = \"a\"\n");
  EXPECT_EQ(refused(base, "name.first"), "s.lua:3|'name' is the string \"x\", not a table: it has no 'first'||3");
  EXPECT_EQ(refused(base, "rewards[2].weight"),
            "s.lua:3|'rewards' has no item '2': it is a list of 1|items are counted from 0: rewards[0]|3");
  EXPECT_EQ(refused(base, "rewards.weight"),
            "s.lua:3|'rewards' has no item 'weight': it is a list of 1|items are counted from 0: rewards[0]|3");
}

TEST(With, MergesTablesAndReplacesLists) {
  const auto base =
      draft("[grpo]\nlr = 1e-3\nsteps = 8\n[[rewards]]\nplugin = \"a\"\nweight = 2\n[[rewards]]\nplugin = \"b\"\n");
  const auto made =
      with(base, {{"grpo", {{"lr", 1e-4}}, "s.lua:3"}, {"rewards", json::parse(R"([{"plugin":"c"}])"), "s.lua:4"}});
  EXPECT_EQ(made.values.dump(), R"({"grpo":{"lr":0.0001,"steps":8},"rewards":[{"plugin":"c"}]})");
  EXPECT_EQ(made.origins.at("grpo.lr"), "s.lua:3");
  EXPECT_EQ(made.origins.at("grpo.steps"), "x.toml:3");
  EXPECT_EQ(made.origins.at("rewards[0].plugin"), "s.lua:4");
  EXPECT_EQ(made.origins.count("rewards[1].plugin"), 0u) << "nothing is remembered of what was replaced";
  EXPECT_EQ(base.values.at("grpo").at("lr"), 1e-3) << "the base is unchanged";
}

TEST(With, LetsATableOfAnotherPluginStartAfresh) {
  const auto base = draft(
      "[reweighting]\nplugin = \"redundancy\"\nalpha = 0.25\n[[rewards]]\nplugin = \"length\"\ntarget = 9\nweight = "
      "2\n");
  const auto made = with(base, {{"reweighting.plugin", "none", "--set"}, {"rewards[0].plugin", "format", "--set"}});
  EXPECT_EQ(made.values.dump(), R"({"rewards":[{"plugin":"format","weight":2}],"reweighting":{"plugin":"none"}})");
  EXPECT_EQ(made.origins.count("reweighting.alpha"), 0u);
  EXPECT_EQ(with(base, {{"reweighting", {{"plugin", "redundancy"}}, "--set"}}).values, base.values)
      << "the same plugin keeps its settings";
}

TEST(With, LetsATableStartAfreshWhosePluginIsUnset) {
  const auto base = draft("[reweighting]\nplugin = \"redundancy\"\nalpha = 0.25\n");
  EXPECT_EQ(with(base, {parse_set("reweighting.plugin=null")}).values.dump(), R"({"reweighting":{"plugin":null}})");
  const auto usual = draft("[reweighting]\nplugin = \"none\"\nalpha = 0.25\n");
  EXPECT_EQ(with(usual, {parse_set("reweighting.plugin=null")}).values.at("reweighting").at("alpha"), 0.25)
      << "it is the same plugin";
}

TEST(With, KeepsWhatIsSetTogetherWithAnotherPlugin) {
  const auto base = draft("[reweighting]\nplugin = \"dra\"\nscale = 1\n");
  const auto made = with(base, {{"reweighting.alpha", 0.25, "--set"}, {"reweighting.plugin", "redundancy", "--set"}});
  EXPECT_EQ(made.values.dump(), R"({"reweighting":{"alpha":0.25,"plugin":"redundancy"}})");
  const auto from_default =
      with(draft("[model]\npath = \"p\"\n"), {{"model", {{"plugin", "other"}, {"size", 1}}, "s.lua:3"}});
  EXPECT_EQ(from_default.values.dump(), R"({"model":{"plugin":"other","size":1}})");
}

TEST(With, ReachesIntoAPluginThatAnotherOneNames) {
  const auto similarity = [](const std::string& line, const std::vector<Change>& changes) {
    return with(draft("[reweighting]\nplugin = \"dra\"\n" + line), changes)
        .values.at("reweighting")
        .at("similarity")
        .dump();
  };
  const std::string at = "reweighting.similarity", name = "similarity = \"a\"\n",
                    table = "similarity = {plugin = \"a\", x = 1}\n";
  EXPECT_EQ(similarity(name, {{at + ".x", 2, ""}}), R"({"plugin":"a","x":2})");
  EXPECT_EQ(similarity(name, {{at, {{"x", 2}}, ""}}), R"({"plugin":"a","x":2})");
  EXPECT_EQ(similarity(name, {{at + ".plugin", "b", ""}, {at + ".y", 3, ""}}), R"({"plugin":"b","y":3})");
  EXPECT_EQ(similarity(table, {{at + ".y", 3, ""}}), R"({"plugin":"a","x":1,"y":3})");
  EXPECT_EQ(similarity(table, {{at, {{"plugin", "a"}, {"y", 3}}, ""}}), R"({"plugin":"a","x":1,"y":3})");
  EXPECT_EQ(similarity(table, {{at, "b", ""}}), "\"b\"");
  EXPECT_EQ(similarity("", {{at + ".x", 2, ""}}), R"({"x":2})");
}

TEST(With, LetsAPluginThatAnotherOneNamesStartAfresh) {
  const auto base = draft("[reweighting]\nplugin = \"dra\"\nsimilarity = {plugin = \"a\", x = 1}\n");
  const std::string wanted = R"({"reweighting":{"plugin":"dra","similarity":{"plugin":"b","y":3}}})";
  const json b = {{"plugin", "b"}, {"y", 3}};
  for (const auto& change :
       std::vector<Change>{{"reweighting.similarity", b, "--set"}, {"reweighting", {{"similarity", b}}, "--set"}}) {
    const auto made = with(base, {change});
    EXPECT_EQ(made.values.dump(), wanted);
    EXPECT_EQ(made.origins.count("reweighting.similarity.x"), 0u);
  }
  EXPECT_EQ(merge(base, draft("[reweighting.similarity]\nplugin = \"b\"\ny = 3\n")).values.dump(), wanted);
}

TEST(Merge, KeepsTheOriginsOfBoth) {
  const auto base = draft("name = \"x\"\n[grpo]\nlr = 1e-3\n");
  const auto changes = parse_toml("# later\n[grpo]\nsteps = 8\n[[rewards]]\nplugin = \"a\"\n", "y.toml");
  const auto made = merge(base, changes);
  EXPECT_EQ(made.values.dump(), R"({"grpo":{"lr":0.001,"steps":8},"name":"x","rewards":[{"plugin":"a"}]})");
  EXPECT_EQ(made.origins.at("grpo.lr"), "x.toml:3");
  EXPECT_EQ(made.origins.at("grpo.steps"), "y.toml:3");
  EXPECT_EQ(made.origins.at("rewards[0].plugin"), "y.toml:5");
  EXPECT_EQ(made.origins.at(""), "x.toml");
  EXPECT_EQ(made.sources.size(), 2u);
}

}  // namespace
}  // namespace compeer::spec
