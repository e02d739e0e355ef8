#include "spec/draft.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
    EXPECT_EQ(
        complaint([&] { parse_path(path, "s.lua:3"); }),
        "s.lua:3|'" + path + "' is not the path of a setting|write a path such as grpo.lr or rewards[0].weight|3");
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

std::string refused_text(const std::string& text) {
  return complaint([&] { parse_toml(text, "x.toml"); });
}
std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ParseToml, KnowsTheLineOfEveryTableAndValue) {
  const auto draft = parse_toml(
      "name = \"x\"\n\n[grpo]\nlr = 1e-3\n[[rewards]]\nplugin = \"a\"\n[[rewards]]\nplugin = \"b\"\n", "x.toml");
  EXPECT_EQ(draft.values.dump(), R"({"grpo":{"lr":0.001},"name":"x","rewards":[{"plugin":"a"},{"plugin":"b"}]})");
  EXPECT_EQ(draft.origins.at("name"), "x.toml:1");
  EXPECT_EQ(draft.origins.at("grpo"), "x.toml:3");
  EXPECT_EQ(draft.origins.at("grpo.lr"), "x.toml:4");
  EXPECT_EQ(draft.origins.at("rewards[1]"), "x.toml:7");
  EXPECT_EQ(draft.origins.at("rewards[1].plugin"), "x.toml:8");
  EXPECT_EQ(draft.origin_of("grpo.clip"), "x.toml:3");
  EXPECT_EQ(draft.origin_of("model.path"), "x.toml");
  EXPECT_TRUE(starts(draft.sources.at("x.toml"), "name = \"x\""));
}

TEST(ParseToml, TakesAByteOrderMarkAndWindowsLines) {
  const auto draft = parse_toml("\xEF\xBB\xBFname = \"x\"\r\n[grpo]\r\nsteps = 8\r\n", "x.toml");
  EXPECT_EQ(draft.values.dump(), R"({"grpo":{"steps":8},"name":"x"})");
  EXPECT_EQ(draft.origins.at("grpo.steps"), "x.toml:3");
}

TEST(ParseToml, TakesAnEmptyFile) { EXPECT_EQ(parse_toml("", "x.toml").values, json::object()); }

TEST(ParseToml, NamesLineAndTextOfAMistake) {
  EXPECT_EQ(refused_text("name = \"x\"\ntask = grpo\n"),
            "x.toml:2|Error while parsing value: could not determine value type: task = grpo||3");
  EXPECT_TRUE(starts(refused_text("name = \"x\nseed = 1\n"), "x.toml:1|"));
  EXPECT_TRUE(starts(refused_text("[grpo\nlr = 1\n"), "x.toml:1|"));
  EXPECT_TRUE(starts(refused_text("a = 1\nb = [1, 2\n"), "x.toml:2|"));
  EXPECT_TRUE(starts(refused_text("a = 1\n= 2\n"), "x.toml:2|"));
}

TEST(ParseToml, RefusesAKeyGivenTwice) {
  EXPECT_EQ(refused_text("[grpo]\nlr = 1e-3\nlr = 1e-4\n"),
            "x.toml:3|Error while parsing key-value pair: cannot redefine existing floating-point 'lr': lr = 1e-4||3");
  EXPECT_TRUE(starts(refused_text("[grpo]\nlr = 1\n[grpo]\nsteps = 1\n"), "x.toml:3|"));
}

TEST(ParseToml, RefusesAnIntegerBeyond64Bits) {
  const auto text = refused_text("seed = 99999999999999999999999\n");
  EXPECT_TRUE(starts(text, "x.toml:1|"));
  EXPECT_NE(text.find("99999999999999999999999"), std::string::npos) << text;
}

TEST(ParseToml, RefusesNulBytes) {
  EXPECT_EQ(refused_text(std::string("name = 1\n\t[\0\0", 13)),
            "x.toml:2|a NUL byte: \\x09[\\x00\\x00|save the file as UTF-8; this may be UTF-16 or a binary file|3");
}

TEST(ParseToml, RefusesUtf16WithTheCommandThatConvertsIt) {
  EXPECT_EQ(refused_text(std::string("\xFF\xFEn\0", 4)),
            "x.toml|is text in UTF-16, not in UTF-8|convert it: iconv -f UTF-16 -t UTF-8 x.toml >x.toml.utf8|3");
}

TEST(ParseToml, RefusesInvalidUtf8) {
  EXPECT_EQ(refused_text("a = 1\nname = \"\xC3(\"\n"),
            "x.toml:2|not valid UTF-8: name = \"\\xc3(\"|save the file as UTF-8|3");
  EXPECT_TRUE(starts(refused_text("a = \"\xED\xA0\x80\"\n"), "x.toml:1|not valid UTF-8: a"));
}

TEST(ParseToml, TakesLettersOfAnyLanguageInStringsAndComments) {
  const auto draft =
      parse_toml("# ü\na = \"ü\"\nb = 'ü'\nc = \"\"\"ü\nü\"\"\"\"\"\nd = '''ü'''\n\"ü\" = 1\n", "x.toml");
  EXPECT_EQ(draft.values.dump(), R"({"a":"ü","b":"ü","c":"ü\nü\"\"","d":"ü","ü":1})");
}

TEST(ParseToml, RefusesLettersTheParserCannotTake) {
  const std::string what = "x.toml:1|a character that is only allowed in quoted text: ",
                    help = "|write the key or value in quotes|3";
  for (const std::string row : {"ü = 1", "a = 1ü", "a = \"\"\"x\"\"\"\"ü"})
    EXPECT_EQ(refused_text(row + "\n"), what + row + help);
  const std::string escape = "x.toml:1|a backslash that starts no valid escape sequence: ";
  EXPECT_TRUE(starts(refused_text("a = \"\\ü\"\n"), escape + "a = \"\\ü\"|"));
  EXPECT_TRUE(starts(refused_text("a = \"\"\"x\\\n  ü\"\"\"\n"), escape + "a = \"\"\"x\\|"));
}

// The parser reads a token that begins like a number or a date up to white space, a comma or a closing bracket.
TEST(ParseToml, RefusesAQuoteWithinAValue) {
  for (const std::string row : {"a = 2x\"ü\"", "a = 2.\"ü\"", "a = 2[\"ü\"", "a = 2{\"ü\"", "a = 2=\"ü\"",
                                "a = [1, 2'ü'", "a = {b = 2\"ü\"", "a = 1979-05-27 \"ü\"", "a = \"x\"\"\"ü\""})
    EXPECT_EQ(refused_text(row + "\n"),
              "x.toml:1|a quote within a value: " + row + "|put quotes around the whole value|3");
}

TEST(ParseToml, TakesQuotesWhereKeysAndValuesBegin) {
  const auto draft = parse_toml(
      "2.\"ü\" = 1\na = [\n  \"ü\", # 'ü'\n  'ü', [\"ü\"], {b.\"ü\" = 'ü', \"c\" = [1, \"ü\"]}\n]\n"
      "[[d.\"ü\"]]\ne=\"ü\"\n[f . 'ü']\n'g' = {}\n\"h\" = []\n\"i\" = \"ü\"\n",
      "x.toml");
  EXPECT_EQ(draft.values.dump(),
            R"({"2":{"ü":1},"a":["ü","ü",["ü"],{"b":{"ü":"ü"},"c":[1,"ü"]}],"d":{"ü":[{"e":"ü"}]},)"
            R"("f":{"ü":{"g":{},"h":[],"i":"ü"}}})");
}

TEST(ParseToml, RefusesAKeyOfVeryManyParts) {
  EXPECT_EQ(refused_text("name = 1\n" + repeated("a.", 150000) + "a = 1\n"),
            "x.toml:2|a key of more than 64 parts: " + repeated("a.", 30) + "...||3");
  EXPECT_TRUE(starts(refused_text("[" + repeated("a.", 150000) + "a]\n"), "x.toml:1|a key of more than 64 parts: [a"));
  EXPECT_TRUE(
      starts(refused_text("x = {" + repeated("a . ", 70) + "a = 1}\n"), "x.toml:1|a key of more than 64 parts: x ="));
}

TEST(ParseToml, CountsDotsOfKeysOnly) {
  const auto dots = repeated(".", 200);
  EXPECT_EQ(refused_text("# " + dots + "\na = \"" + dots + "\"\nb = '" + dots + "'\nc = \"\"\"\n" + dots +
                         "\"\n\\\"\"\"" + dots + "\"\"\"\nd = [" + repeated("0.5, ", 200) + "0.5]\n"),
            "");
}

TEST(ParseToml, RefusesDeepNesting) {
  EXPECT_TRUE(
      starts(refused_text("a = 1\nb = " + repeated("[", 100000)), "x.toml:2|values nested more than 64 deep: b ="));
  EXPECT_TRUE(starts(refused_text("b = " + repeated("{a = ", 100) + "1" + repeated("}", 100)),
                     "x.toml:1|values nested more than 64 deep: b = {"));
  // Each of these keys and nestings is within its limit, but their product is too long.
  const auto key = repeated("a.", 60) + "a = ";
  EXPECT_TRUE(starts(refused_text("b = " + repeated("{" + key, 60) + "1" + repeated("}", 60)),
                     "x.toml:1|a key that is too long: b.a.a.a."));
}

TEST(ParseToml, RefusesDates) {
  EXPECT_EQ(refused_text("name = 2024-01-01\n"),
            "x.toml:1|'name' is a date or time, but no setting has this type|write it in quotes|3");
}

TEST(ParseToml, RefusesMoreThanAMebibyte) {
  EXPECT_EQ(refused_text(repeated("# 34567890123456\n", 70000)),
            "x.toml|is 1190000 bytes long; at most 1048576 are read||3");
}

TEST(LoadToml, NamesAFileThatIsNotThere) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "load_toml";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "smoke.toml") << "name = 1\n";
  EXPECT_EQ(complaint([&] { load_toml(folder / "smok.toml"); }),
            (folder / "smok.toml").string() + "|does not exist|did you mean 'smoke.toml'? known: smoke.toml|3");
  EXPECT_EQ(complaint([&] { load_toml(folder); }), folder.string() + "|is a folder, not a file||3");
  EXPECT_EQ(load_toml(folder / "smoke.toml").origins.at("name"), (folder / "smoke.toml").string() + ":1");
}

// Reading /proc/self/mem fails with an I/O error, like a bad disk: address 0 is never mapped.
TEST(LoadToml, OfAFailingDiskIsNoMistakeInTheSpec) {
  const auto file = std::filesystem::path(testing::TempDir()) / "failing.toml";
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/proc/self/mem", file);
  EXPECT_EQ(complaint([&] { load_toml(file); }), file.string() +
                                                     "|can't be read: Input/output error|the disk or file server "
                                                     "failed (see dmesg); resume the run once it works|1");
}

TEST(ParseSetValue, ReadsTomlValues) {
  EXPECT_EQ(parse_set_value("1e-4").dump(), "0.0001");
  EXPECT_EQ(parse_set_value("3").dump(), "3");
  EXPECT_EQ(parse_set_value("true").dump(), "true");
  EXPECT_EQ(parse_set_value("\"3\"").dump(), "\"3\"");
  EXPECT_EQ(parse_set_value("[0.1, 0.2]").dump(), "[0.1,0.2]");
  EXPECT_EQ(parse_set_value("{plugin = \"none\"}").dump(), R"({"plugin":"none"})");
}

TEST(ParseSetValue, TakesABareWordAsAString) {
  EXPECT_EQ(parse_set_value("results/x/last").dump(), "\"results/x/last\"");
  EXPECT_EQ(parse_set_value("dr_grpo").dump(), "\"dr_grpo\"");
  EXPECT_EQ(parse_set_value("2024-01-01").dump(), "\"2024-01-01\"");
  EXPECT_EQ(parse_set_value("").dump(), "\"\"");
  EXPECT_EQ(parse_set_value("1\nother = 2").dump(), "\"1\\nother = 2\"");
}

TEST(ParseSetValue, RefusesBrokenListsTablesAndStrings) {
  EXPECT_EQ(complaint([] { parse_set_value("[1, 2"); }).substr(0, 20), "--set|Error while pa");
  EXPECT_EQ(complaint([] { parse_set_value("\"open"); }).substr(0, 20), "--set|Error while pa");
}

TEST(ParseSet, PartsKeyAndValue) {
  const auto change = parse_set("rewards[0].weight=2");
  EXPECT_EQ(change.path, "rewards[0].weight");
  EXPECT_EQ(change.value, 2);
  EXPECT_EQ(change.origin, "--set");
  EXPECT_EQ(complaint([] { parse_set("lr"); }), "--set lr|is not key=value|for example --set grpo.lr=1e-4|2");
}

}  // namespace
}  // namespace compeer::spec
