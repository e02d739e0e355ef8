#include "spec/spec.h"

#include <sys/stat.h>

#include "../program.h"
#include "base/files.h"
#include "places.h"

namespace compeer::app {
namespace {

TEST_F(Program, ResolvesEveryExperimentThatComesWithIt) {
  for (const auto& entry : fs::directory_iterator(COMPEER_SOURCE_DIR "/experiments")) {
    if (entry.is_directory()) continue;  // they need models and corpora: tests/scripts
    const auto text = told("resolve " + entry.path().string());
    EXPECT_NE(text.find("# sha256 "), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("exit 0")) << text;
  }
}

TEST_F(Program, ResolvesTheExampleOfTheDocs) {
  const auto docs = read_file(COMPEER_SOURCE_DIR "/docs/specs.md");
  const auto begin = docs.find("```toml\n") + 8;
  write("docs.toml", docs.substr(begin, docs.find("```", begin) - begin));
  EXPECT_TRUE(told("resolve docs.toml").ends_with("exit 0"));
}

TEST_F(Program, PrintsSettings) {
  EXPECT_EQ(told("settings checkpoint.keep"),
            "keep  an integer of at least 1; default 2\n"
            "      number of newest checkpoints to keep\nexit 0");
  EXPECT_EQ(told("settings record"),
            "[record]  what is recorded\n"
            "  rollouts  true or false; default true\n"
            "            keep every token of every completion\nexit 0");
  EXPECT_EQ(told("settings seed"),
            "seed  an integer of at least 0; default 1\n"
            "      every random number is a function of it\nexit 0");
  const auto all = told("settings");
  for (const char* part : {"name  a string; required\n", "\n[[rewards]]  ", "\n[grpo]  ", "\n  clip_low   "})
    EXPECT_NE(all.find(part), std::string::npos) << part;
}

TEST_F(Program, NamesTheNearestSetting) {
  EXPECT_EQ(told("settings grpo.clipp").substr(0, 77),
            "compeer: error: grpo.clipp: no such setting\n  help: did you mean 'grpo.clip'?");
  EXPECT_EQ(told("settings checkpoints").substr(0, 79),
            "compeer: error: checkpoints: no such setting\n  help: did you mean 'checkpoint'?");
}

TEST_F(Program, FindsItsOwnExperimentsFromAnyFolder) {
  EXPECT_EQ(first_line("resolve experiments/smoke_grpo.toml").substr(0, 9), "# sha256 ");
}

TEST_F(Program, PrintsTomlAndJsonOfTheSameHash) {
  const auto hash = first_line("resolve " + smoke);
  told("resolve " + smoke + " > a.toml");
  told("resolve " + smoke + " --json > a.json");
  EXPECT_EQ(first_line("resolve a.toml"), hash);
  EXPECT_EQ(first_line("resolve a.json"), hash);
  EXPECT_EQ("# sha256 " + nlohmann::json::parse(read_file(folder() / "a.json")).at("sha256").get<std::string>(), hash);
  EXPECT_NE(first_line("resolve a.json --set seed=2"), hash);
}

TEST_F(Program, ShowsDifferencesWithOrigins) {
  told("resolve " + smoke + " --json > a.json");
  EXPECT_EQ(told("resolve a.json --set seed=2 --diff a.json"), "seed: 2 (--set) -> 1 (" + smoke + ":5)\nexit 0");
  EXPECT_EQ(told("resolve a.json --diff a.json --json"), "[]\nexit 0");
}

TEST_F(Program, ReadsNoSpecFromAPipe) {
  ASSERT_EQ(::mkfifo((folder() / "spec.json").c_str(), 0600), 0);
  for (const char* command : {"resolve .", "run . --dry-run", "submit . --dry-run"})
    EXPECT_NE(told(command).find("spec.json: is a pipe or a device, not a file"), std::string::npos) << command;
}

TEST_F(Program, ResolvesWhatAScriptWouldLaunch) {
  write("x.lua",
        "local compeer = require \"compeer\"\n"
        "local base = compeer.load \"experiments/smoke_grpo.toml\"\n"
        "print \"planning\"\n"
        "for _, clip in ipairs { 0.1, 0.3 } do\n"
        "  base:with { name = \"clip-\" .. clip, grpo = { clip = clip } }:launch()\n"
        "end\n");
  EXPECT_EQ(told("resolve x.lua --json > x.json"), "planning\nexit 0") << "what it prints is no data";
  const auto specs = nlohmann::json::parse(read_file(folder() / "x.json"));
  ASSERT_EQ(specs.size(), 2u);
  EXPECT_EQ(specs[1].at("spec").at("name"), "clip-0.3");
  EXPECT_EQ(specs[1].at("origins").at("grpo.clip"), "x.lua:5");
  EXPECT_EQ(specs[1].at("sources").size(), 2u);
  EXPECT_TRUE(told("resolve x.lua --set grpo.lr=1 --diff x.json").ends_with("exit 2"));
}

TEST_F(Program, TellsMistakesInASpecWithExit3) {
  write("x.toml",
        "name = \"x\"\ntask = \"grpo\"\n[dataset]\nplugin = \"esc_wrld\"\n[[rewards]]\nplugin = "
        "\"format\"\n[grpo]\nsetps = 8\n");
  const auto text = told("resolve x.toml --set grpo.lr=fast");
  EXPECT_NE(text.find("compeer: error: --set: 'grpo.lr' must be a number above 0, not the string \"fast\"\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nx.toml:4: no dataset plugin 'esc_wrld'\n  help: did you mean 'esc_world'?"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  searched:\n    "), std::string::npos) << text;
  EXPECT_NE(text.find("/datasets\n  --plugin-dir DIR looks in DIR first"), std::string::npos) << text;
  EXPECT_NE(text.find("\nx.toml:8: unknown key 'grpo.setps'\n  help: did you mean 'steps'?"), std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("exit 3")) << text;
  EXPECT_EQ(told("resolve y.toml"),
            "compeer: error: y.toml: there is no such file\n  help: did you mean 'x.toml'? known: x.toml\nexit 3");
  write("spec.json", "{}");
  EXPECT_TRUE(told("resolve .").ends_with("exit 3"));
  write("x.yaml", "name: x\n");
  EXPECT_EQ(told("run x.yaml"),
            "compeer: error: x.yaml: is YAML; experiments are TOML files\n"
            "  help: start from one: compeer resolve experiments/smoke_grpo.toml >mine.toml; compeer run mine.toml\n"
            "exit 2");
  EXPECT_EQ(told("run train.py"),
            "compeer: error: train.py: is Python; scripts are written in Lua\n"
            "  help: start from one: cp scripts/quickstart.lua mine.lua; compeer run mine.lua (docs/lua.md)\nexit 2");
  EXPECT_EQ(told("data stats records.jsonl"),
            "compeer: error: records.jsonl: holds records; experiments are TOML files\n"
            "  help: an experiment names its data by dataset.plugin and dataset.path (docs/corpora.md)\nexit 2");
}

}  // namespace
}  // namespace compeer::app
