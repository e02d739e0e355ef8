#include "spec/spec.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/disk.h"
#include "base/files.h"
#include "base/hash.h"
#include "fake_catalog.h"
#include "spec/paths.h"
#include "spec/text.h"

namespace compeer::spec {
namespace {

namespace fs = std::filesystem;

Spec resolved(const std::string& text) { return resolve(parse_toml(text, "x.toml"), FakeCatalog()); }

// Makes a temporary folder the working directory, and another one COMPEER_HOME.
class Paths : public testing::Test {
 protected:
  Paths() : before_(fs::current_path()), root_(fs::path(testing::TempDir()) / ("paths_" + std::to_string(::getpid()))) {
    fs::create_directories(root_ / "here");
    fs::create_directories(root_ / "home");
    fs::current_path(root_ / "here");
    ::setenv("COMPEER_HOME", (root_ / "home").c_str(), 1);
  }
  ~Paths() override {
    ::unsetenv("COMPEER_HOME");
    fs::current_path(before_);
    fs::remove_all(root_);
  }
  static void write(const fs::path& file, const std::string& text) {
    if (file.has_parent_path()) fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  const fs::path& root() const { return root_; }

 private:
  fs::path before_, root_;
};

TEST(Canonical, SortsKeysAndWritesNumbersShort) {
  Spec spec;
  spec.values = {{"weight", 1.0}, {"name", "größe"}, {"grpo", {{"steps", 8}, {"lr", 1e-6}}}};
  EXPECT_EQ(spec.canonical(), R"({"grpo":{"lr":1e-06,"steps":8},"name":"größe","weight":1.0})");
  // printf '%s' '{"grpo":{"lr":1e-06,"steps":8},"name":"größe","weight":1.0}' | sha256sum
  EXPECT_EQ(spec.sha256(), "1a5aa2f14e77bfef1824fd23d56280196f456204b72ea82b48da0858dfeebcf6");
}

TEST(Canonical, WritesNumbersAsPythonDoes) {
  // Expected: repr() in Python. Some other writers print the last two with more digits than necessary.
  const std::map<double, std::string> known = {{1e15, "1000000000000000.0"},
                                               {1e16, "1e+16"},
                                               {0.0001, "0.0001"},
                                               {0.00001, "1e-05"},
                                               {-2.5, "-2.5"},
                                               {4.1752050594835e78, "4.1752050594835e+78"},
                                               {3.132231570226741e16, "3.132231570226741e+16"}};
  for (const auto& [number, text] : known) EXPECT_EQ(number_text(number), text);
}

TEST(Canonical, WritesDoublesSoThatTheyReadBack) {
  Spec spec;
  spec.values = {0.1, 1.0 / 3, 1e22, 5e-324, 1.7976931348623157e308, 123456789.0, 100.0};
  EXPECT_EQ(spec.canonical(), "[0.1,0.3333333333333333,1e+22,5e-324,1.7976931348623157e+308,123456789.0,100.0]");
  EXPECT_EQ(json::parse(spec.canonical()), spec.values);
}

TEST(FileText, ReadsBack) {
  const auto spec = resolved(smallest("steps = 8\n"));
  const auto back = Spec::from_file_text(spec.file_text());
  EXPECT_EQ(back.values, spec.values);
  EXPECT_EQ(back.origins, spec.origins);
  EXPECT_EQ(back.sources, spec.sources);
  EXPECT_EQ(back.sha256(), spec.sha256());
  ASSERT_EQ(back.plugins.size(), spec.plugins.size());
  EXPECT_EQ(back.plugins[0].path, "/plugins/models/qwen2.so");
  EXPECT_EQ(back.file_text(), spec.file_text());
}

TEST(FileText, HasTheShapeOthersRead) {
  const auto file = json::parse(resolved(smallest()).file_text());
  EXPECT_EQ(file.at("format"), 1);
  EXPECT_EQ(file.at("sha256"), sha256(file.at("spec").dump()));
  EXPECT_EQ(file.at("origins").at("name"), "x.toml:1");
  EXPECT_EQ(file.at("plugins").at(2).at("kind"), "rewards");
  EXPECT_EQ(file.at("sources").at("x.toml"), smallest());
}

TEST(FileText, IsRefusedWhenChangedByHand) {
  auto text = resolved(smallest("steps = 8\n")).file_text();
  text.replace(text.find("\"steps\": 8"), 10, "\"steps\": 9");
  const auto told = complaint([&] { Spec::from_file_text(text, "r/spec.json"); });
  EXPECT_TRUE(starts(told, "r/spec.json|its spec has the hash"));
  EXPECT_NE(told.find("it was changed after it was written"), std::string::npos);
}

TEST(FileText, IsRefusedWhenBroken) {
  const auto refused = [](const std::string& text) {
    return complaint([&] { Spec::from_file_text(text, "r/spec.json"); });
  };
  EXPECT_TRUE(starts(refused("{\"format\":"), "r/spec.json|is not JSON: [json.exc"));
  EXPECT_TRUE(starts(refused("{}"), "r/spec.json|is not the spec.json of a run|experiments are TOML"));
  EXPECT_TRUE(starts(refused("{\"format\":2}"), "r/spec.json|has format 2, this pro"));
  EXPECT_TRUE(starts(refused("[1]"), "r/spec.json|is not the spec.json of a run|"));
  EXPECT_TRUE(starts(refused(std::string(100000, '[')), "r/spec.json|is nested more than 12"));
}

// A file with a valid hash may still contain invalid values.
TEST(FileText, OfAStrangerIsReadWithCare) {
  const auto with = [](const std::string& name, const json& value) {
    auto file = json::parse(resolved(smallest()).file_text());
    file["spec"][name] = value;
    file["sha256"] = sha256(canonical_json(file["spec"]));
    return file;
  };
  const auto read = [](const json& file) { return Spec::from_file_text(file.dump(), "r/spec.json"); };
  auto file = with("rewards", 7);
  EXPECT_EQ(read(file).draft().values["rewards"], 7);
  file = with("rewards", {"a"});
  file["origins"]["rewards[0].label"] = "default";
  EXPECT_EQ(read(file).draft().values["rewards"], json{"a"});
  file["origins"]["no.such[0]"] = from_contents;
  EXPECT_EQ(complaint([&] { read(file).draft(); }),
            "spec.json|has an origin for 'no.such[0]', which is not a key of the spec||3");
  EXPECT_TRUE(starts(complaint([&] { read(with("inputs", {{"model.path", {1}}})); }), "r/spec.json|is not a resolved"));
  EXPECT_EQ(read(with("inputs", {{"a\nname = 1\n", "b"}})).toml().find("\nname = 1"), std::string::npos);
}

// The JSON library's callback scans the whole object at the end of each value: minutes for this text.
TEST(FileText, OfManyEmptyTablesIsReadInNoTime) {
  std::string tables;
  for (int i = 0; i < 300'000; ++i) tables += (i ? ",\"" : "\"") + std::to_string(i) + "\":{}";
  EXPECT_TRUE(
      starts(complaint([&] { Spec::from_file_text("{\"a\":{" + tables + "}}"); }), "spec.json|is not the spec"));
}

TEST(Toml, ResolvesToTheSameSpec) {
  const auto spec = resolved(smallest(
      "[reweighting]\nplugin = \"redundancy\"\n[model.config]\nhidden_size = 64\n[[rewards]]\nplugin = \"length\"\n"));
  EXPECT_EQ(resolved(spec.toml()).sha256(), spec.sha256());
  EXPECT_EQ(resolved(spec.toml(true)).sha256(), spec.sha256());
}

TEST(Toml, EscapesWhatTomlWantsEscaped) {
  const auto text = smallest("split = \"a\\\"b\\\\c\\n\\u007F\\u0001ü\"\n");
  EXPECT_EQ(resolved(resolved(text).toml()).sha256(), resolved(text).sha256());
}

TEST(Toml, SaysWhereValuesAreFrom) {
  const auto text = resolved(smallest("steps = 8\n")).toml(true);
  EXPECT_NE(text.find("steps = 8                                # x.toml:8\n"), std::string::npos) << text;
  EXPECT_NE(text.find("seed = 1                                 # default\n"), std::string::npos);
  EXPECT_NE(text.find("\n[[rewards]]\nplugin = \"format\""), std::string::npos);
}

TEST(Diff, ListsChangedKeysWithBothOrigins) {
  const auto before = resolved(smallest("steps = 8\n"));
  const auto after = resolved(smallest("lr = 0.5\nsteps = 9\n[reweighting]\nplugin = \"redundancy\"\nbands = [3]\n"));
  std::string text;
  for (const auto& one : diff(before, after)) {
    text += one.path + " " + (one.before.is_discarded() ? "-" : one.before.dump()) + " (" + one.before_origin + ") " +
            (one.after.is_discarded() ? "-" : one.after.dump()) + " (" + one.after_origin + ")\n";
  }
  EXPECT_EQ(text,
            "grpo.lr 1e-06 (default) 0.5 (x.toml:8)\n"
            "grpo.steps 8 (x.toml:8) 9 (x.toml:9)\n"
            "reweighting.alpha - () 0.5 (default)\n"
            "reweighting.bands - () [3.0] (x.toml:12)\n"
            "reweighting.mode - () \"paper\" (default)\n"
            "reweighting.plugin \"none\" (default) \"redundancy\" (x.toml:11)\n");
  EXPECT_TRUE(diff(before, before).empty());
}

TEST_F(Paths, AreLookedForHereAndThenAtHome) {
  write("a/f", "1");
  write(root() / "home/a/f", "2");
  write(root() / "home/b/f", "3");
  EXPECT_EQ(locate("a/f"), fs::path("a/f"));
  EXPECT_EQ(locate("./b/f"), root() / "home/b/f");
  EXPECT_EQ(locate("c"), std::nullopt);
  ::unsetenv("COMPEER_HOME");
  EXPECT_EQ(locate("b/f"), std::nullopt);
}

TEST_F(Paths, ArePinnedByManifestOrFindingsOrContents) {
  write("run/manifest.json", "{}");
  write("run/other", "1");
  EXPECT_EQ(pin("run"), sha256("{}"));
  write("finished/summary.json", "{}");
  write("finished/.lock", "the process that read it back");
  EXPECT_EQ(pin("finished"), sha256("{}"));
  write("folder/b", "22");
  write("folder/a", "1");
  EXPECT_EQ(pin("folder"), sha256("contents\na\t1\t" + sha256("1") + "\nb\t2\t" + sha256("22") + "\n"));
  EXPECT_EQ(pin("folder/a"), sha256("contents\n\t1\t" + sha256("1") + "\n"));
  fs::resize_file("folder/a", 65 << 20);
  EXPECT_EQ(pin("folder"), sha256("sizes\na\t68157440\nb\t2\n"));
  EXPECT_EQ(complaint([] { pin("/dev/null"); }), "/dev/null|is neither a file nor a folder||4");
}

TEST_F(Paths, BecomePartOfTheHash) {
  write("model/manifest.json", "{}");
  write(root() / "home/tok/vocab.json", "{}");
  const auto text = smallest("[model]\npath = \"model\"\ntokenizer = \"tok\"\n");
  auto spec = resolved(text);
  const auto unpinned = spec.sha256();
  pin_inputs(spec);
  EXPECT_EQ(spec.values.at("model").at("path"), "model");
  EXPECT_EQ(spec.values.at("model").at("tokenizer"), (root() / "home/tok").string());
  EXPECT_EQ(spec.values.at("inputs").at("model.path"), sha256("{}"));
  EXPECT_EQ(spec.values.at("inputs").size(), 2u);
  const auto pinned = spec.sha256();
  EXPECT_NE(pinned, unpinned);
  pin_inputs(spec);
  EXPECT_EQ(spec.sha256(), pinned);

  write("model/manifest.json", "{\"step\":2}");
  auto changed = resolved(text);
  pin_inputs(changed);
  EXPECT_NE(changed.sha256(), pinned);
  auto reread = resolve(Spec::from_file_text(changed.file_text()).draft(), FakeCatalog());
  pin_inputs(reread);
  EXPECT_EQ(reread.sha256(), changed.sha256());
}

TEST_F(Paths, AreRefusedWithTheirOriginWhenMissing) {
  const auto text =
      "name = \"x\"\ntask = \"sft\"\n[dataset]\nplugin = \"files\"\nfiles = [\"a\", \"b\"]\n[model]\npath = \"m\"\n";
  write("a", "1");
  auto spec = resolved(text);
  EXPECT_EQ(complaint([&] { pin_inputs(spec); }),
            "x.toml:5|'dataset.files[1]': there is no file or folder \"b\"|checked the current folder, then the folder "
            "of compeer's own files\nx.toml:7: 'model.path': there is no file or folder \"m\"\n  help: checked the "
            "current folder, then the folder of compeer's own files|3");
  auto hub = resolved(
      "name = \"x\"\ntask = \"sft\"\n[dataset]\nplugin = \"files\"\nfiles = [\"a\"]\n[model]\npath = "
      "\"Qwen/Qwen2.5-0.5B-Instruct\"\n");
  EXPECT_EQ(complaint([&] { pin_inputs(hub); }),
            "x.toml:7|'model.path': there is no file or folder \"Qwen/Qwen2.5-0.5B-Instruct\"|checked the current "
            "folder, then the folder of compeer's own files; to use the Hugging Face "
            "Hub's model: hf download Qwen/Qwen2.5-0.5B-Instruct --local-dir models/Qwen2.5-0.5B-Instruct, then pass "
            "models/Qwen2.5-0.5B-Instruct|3");
  const auto but = [&](const std::string& may_miss) {
    return complaint([&] { pin_inputs(spec, [&](const std::string& given) { return given == may_miss; }); });
  };
  EXPECT_TRUE(but("m").starts_with("x.toml:5|'dataset.files[1]': there is no")) << but("m");
  EXPECT_TRUE(but("b").starts_with("x.toml:7|'model.path': there is no")) << but("b");
  EXPECT_EQ(complaint([&] { pin_inputs(spec, [](const std::string&) { return true; }); }), "");
  EXPECT_EQ(spec.values.at("inputs").size(), 1u);
}

FakeCatalog with_script() {
  FakeCatalog catalog;
  catalog.add("rewards", "lua", R"({
    "path": {"type": "path", "default": null},
    "script": {"type": "string", "default": null, "contents_of": "path"},
    "settings": {"type": "table", "default": {}, "open": true}})");
  return catalog;
}

Spec with_reward(const std::string& lines) {
  const std::string text =
      "name = \"x\"\ntask = \"grpo\"\n[dataset]\nplugin = \"esc_world\"\n[[rewards]]\nplugin = \"lua\"\n" + lines;
  return resolve(parse_toml(text, "x.toml"), with_script());
}

TEST_F(Paths, OfTextsAreReadIntoTheSpec) {
  write("kind.lua", "return 1\n");
  auto spec = with_reward("path = \"kind.lua\"\n");
  pin_inputs(spec);
  EXPECT_EQ(spec.values["rewards"][0]["script"], "return 1");
  EXPECT_EQ(spec.origins["rewards[0].script"], "contents");

  // A run keeps the script it was made with; resolving its spec again reads the current file.
  write("kind.lua", "return 2\n");
  const auto read_back = Spec::from_file_text(spec.file_text());
  EXPECT_EQ(read_back.values["rewards"][0]["script"], "return 1");
  auto again = resolve(read_back.draft(), with_script());
  pin_inputs(again);
  EXPECT_EQ(again.values["rewards"][0]["script"], "return 2");
  EXPECT_NE(again.sha256(), spec.sha256());
  auto by_toml = resolve(parse_toml(again.toml(), "x.toml"), with_script());
  pin_inputs(by_toml);
  EXPECT_EQ(by_toml.sha256(), again.sha256());

  write("kind.lua", "\xff");
  EXPECT_EQ(complaint([&] { pin_inputs(again); }), "kind.lua|is not valid UTF-8||4");
}

TEST_F(Paths, OfTextsLeaveNoRoomForAnotherText) {
  EXPECT_EQ(complaint([] { with_reward("path = \"kind.lua\"\nscript = \"return 1\"\n"); }),
            "x.toml:8|'rewards[0].script' and 'rewards[0].path' are both set|omit one of the two: 'script' is the text "
            "of the file|3");
  EXPECT_EQ(with_reward("script = \"return 1\"\n").values["rewards"][0]["script"], "return 1");
}

TEST(OpenTable, TakesAnyKeys) {
  const auto spec = with_reward("[rewards.settings]\nwords = { yes = 2.5 }\nlist = [1, \"a\"]\n");
  EXPECT_EQ(spec.values["rewards"][0]["settings"], json::parse(R"({"words": {"yes": 2.5}, "list": [1, "a"]})"));
  EXPECT_EQ(spec.origins.at("rewards[0].settings.words.yes"), "x.toml:8");
  EXPECT_EQ(resolve(spec.draft(), with_script()).sha256(), spec.sha256());
  EXPECT_EQ(resolve(parse_toml(spec.toml(), "x.toml"), with_script()).sha256(), spec.sha256());
  EXPECT_EQ(with_reward("").values["rewards"][0]["settings"], json::object());
}

// plugin = "auto" takes the plugin from the model folder.

std::string refused(const std::string& text) {
  return complaint([&] { resolved(text); });
}

class AutoModel : public testing::Test {
 protected:
  std::string asked(const std::string& config) {
    write_file(folder_.folder() / "config.json", config);
    return with_model("plugin = \"auto\"\npath = \"" + folder_.folder().string() + "\"");
  }
  static std::string with_model(const std::string& lines) { return smallest("[model]\n" + lines + "\n"); }
  const Scratch folder_;
};

TEST_F(AutoModel, IsThePluginThatItsConfigNames) {
  const auto spec = resolved(asked(R"({"model_type": "qwen2"})"));
  EXPECT_EQ(spec.values.at("model").at("plugin"), "qwen2");
  EXPECT_EQ(spec.plugins.front().name, "qwen2");
}

TEST_F(AutoModel, IsRefusedWhereNobodyKnowsIt) {
  const auto file = (folder_.folder() / "config.json").string();
  EXPECT_EQ(refused(asked(R"({"model_type": "qwen1"})")),
            "x.toml:10|'model.path': " + file +
                ": no plugin reads models of type 'qwen1'|did you mean 'qwen2'? known: qwen2|4");
  EXPECT_EQ(refused(with_model("plugin = \"auto\"")),
            "x.toml:9|'model.plugin' = \"auto\" requires 'model.path', which is unset|name the plugin of a new model: "
            "qwen2|3");
}

TEST_F(AutoModel, IsRefusedWhereThereIsNone) {
  const auto folder = folder_.folder();
  std::filesystem::create_directory(folder / "smollm2");
  const auto wrong = (folder / "smolm2").string();
  EXPECT_EQ(refused(with_model("plugin = \"auto\"\npath = \"" + wrong + "\"")),
            "x.toml:10|'model.path': " + wrong + ": does not exist|did you mean 'smollm2'? known: smollm2|4");
  const auto file = (folder / "m.gguf").string();
  write_file(file, "GGUF");
  EXPECT_EQ(refused(with_model("plugin = \"auto\"\npath = \"" + file + "\"")),
            "x.toml:10|'model.path': " + file + ": is a GGUF file, not a model folder|import it: compeer import " +
                file + " -o models/m|4");
}

}  // namespace
}  // namespace compeer::spec
