// Problems that are found before a run starts: by dry runs, `resolve` and `submit`. Runs the program itself, with real
// plugins and workers.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>
#include <vector>

#include "../program.h"
#include "base/files.h"

namespace compeer::launch {
namespace {

class PluginTrial : public Program {
 protected:
  PluginTrial() {
    write("bad.lua", "return function(completion) return end end\n");
    write("good.lua", "return function(completion) return #completion.text end\n");
  }

  // Writes a small experiment with these rewards.
  void experiment(const std::string& name, const std::string& rewards) {
    write(name,
          "name = \"x\"\ntask = \"grpo\"\n[model]\ntokenizer = \"plugins/datasets/esc_world/tokenizer\"\n"
          "[model.config]\nhidden_size = 64\nnum_hidden_layers = 1\nnum_attention_heads = 4\n"
          "num_key_value_heads = 2\nintermediate_size = 64\n[dataset]\nplugin = \"esc_world\"\n" +
              rewards);
  }

  // Writes a script with two runs, the second one with this reward.
  void study(const std::string& reward, const std::string& then = "") {
    write("study.lua",
          "local compeer = require 'compeer'\nlocal base = compeer.load 'experiments/smoke_grpo.toml'\n"
          "local first = base:with { name = 'first' }:launch()\n"
          "local second = base:with { name = 'second', rewards = { " +
              reward + " } }:launch()\n" + then);
  }

  static bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  bool nothing_began() const { return !fs::exists(folder() / "results"); }

  const std::string broken = "--plugin-dir " COMPEER_FIXTURES "/broken ";
};

TEST_F(PluginTrial, CompilesRewardsInLuaBeforeAnyRunBegins) {
  experiment("x.toml", "[[rewards]]\nplugin = \"lua\"\npath = \"bad.lua\"\n");
  for (const std::string command : {"resolve x.toml", "run x.toml --dry-run", "submit x.toml --dry-run"}) {
    const auto text = told(command);
    EXPECT_TRUE(holds(text, "compeer: error: run 'x': rewards/lua ")) << command << "\n" << text;
    EXPECT_TRUE(holds(text, "bad.lua:1: ")) << text;
    EXPECT_FALSE(text.ends_with("exit 0")) << command;
  }
  study("{ plugin = 'lua', path = 'bad.lua' }");
  for (const std::string command :
       {"run study.lua", "resolve study.lua", "run study.lua --dry-run", "submit study.lua --dry-run"}) {
    const auto text = told(command);
    EXPECT_TRUE(holds(text, "run 'second': rewards/lua ")) << command << "\n" << text;
    EXPECT_FALSE(text.ends_with("exit 0")) << command;
  }
  EXPECT_TRUE(nothing_began());
}

TEST_F(PluginTrial, LooksIntoTheFolderOfAModel) {
  write("m.gguf", "GGUF");
  auto text = told("run " + smoke + " --set model.config=null --set model.path=m.gguf --dry-run");
  EXPECT_TRUE(holds(text, "m.gguf: is a GGUF file, not a model folder\n  help: import it: compeer import ")) << text;
  fs::create_directories(folder() / "earlier");
  text = told("run " + smoke + " --set model.config=null --set model.path=earlier --dry-run");
  EXPECT_TRUE(holds(text, "earlier: has no config.json\n  help: a model folder has the layout")) << text;
  EXPECT_TRUE(text.ends_with("exit 4")) << text;
}

TEST_F(PluginTrial, ReadsThePromptsOfStages) {
  fs::create_directories(folder() / "mine/en");
  write("mine/en/filter.txt", "Is {dialogue} fit? {anwsers}\n");
  write("x.toml",
        "name = \"x\"\ntask = \"data\"\n[dataset]\nplugin = \"esc_world\"\nunit = \"dialogue\"\n"
        "[[stages]]\nplugin = \"filter\"\nchat = \"esc_world\"\nprompts = \"mine\"\n");
  const auto text = told("resolve x.toml");
  EXPECT_TRUE(holds(text, "mine/en/filter.txt")) << text;
  EXPECT_TRUE(holds(text, "anwsers")) << text;
  EXPECT_TRUE(text.ends_with("exit 4")) << text;
}

TEST_F(PluginTrial, OutlivesPluginsThatCrash) {
  const auto text = told(broken + "run " + smoke + " --set rewards.0.plugin=static_crash --dry-run");
  EXPECT_TRUE(holds(text,
                    "compeer: error: run 'smoke-grpo': rewards/static_crash: crashed (segmentation fault) when it was "
                    "opened\n  help: run compeer plugins check to find the place\nexit 5"))
      << text;
}

TEST_F(PluginTrial, LeavesToTheRunWhatAnotherRunWillMake) {
  experiment("x.toml", "[[rewards]]\nplugin = \"prm\"\nmodel = \"results/judge/checkpoints/last\"\n");
  EXPECT_TRUE(told("resolve x.toml").ends_with("exit 0")) << told("resolve x.toml");
}

TEST_F(PluginTrial, AsksOnceForSeedsWhoseFilesAreStillToBeMade) {
  write("worker", "#!/bin/sh\necho \"$2\" >>calls\nexec " COMPEER_BINARY_DIR "/bin/compeer-worker \"$@\"\n");
  fs::permissions(folder() / "worker", fs::perms::owner_all);
  ::setenv("COMPEER_WORKER", (folder() / "worker").c_str(), 1);
  write("study.lua",
        "local compeer = require 'compeer'\nlocal base = compeer.load 'experiments/smoke_grpo.toml'\n"
        "for seed = 1, 3 do\n  local judge = base:with { name = 'judge-' .. seed, seed = seed }:launch()\n"
        "  base:with { name = 'ur-' .. seed, seed = seed, rewards = { { plugin = 'prm', model = judge.checkpoint } } }"
        ":launch()\nend\n");
  const auto text = told("run study.lua --dry-run");
  ::unsetenv("COMPEER_WORKER");
  EXPECT_TRUE(text.ends_with("exit 0")) << text;
  std::istringstream calls(read_file(folder() / "calls"));
  const std::vector<std::string> all{std::istream_iterator<std::string>(calls), {}};
  EXPECT_EQ(std::ranges::count(all, "open_plugins"), 2) << "judges, and policies";
}

TEST_F(PluginTrial, FindsMisspeltFiguresBeforeTheFirstRun) {
  const std::string good = "{ plugin = 'lua', path = 'good.lua' }";
  for (const auto& [then, name, meant] :
       {std::tuple{"print(compeer.results { first, second }:table('name', 'rewards/lua/scroe'))", "rewards/lua/scroe",
                   "rewards/lua/score"},
        {"print(compeer.results { first, second }:compare { 'distint_2', against = { name = 'first' } })", "distint_2",
         "distinct_2"},
        {"compeer.results { first, second }:report { output = 'x.html', columns = { 'name', 'redundancy/s_inn' } }",
         "redundancy/s_inn", "redundancy/s_in"}}) {
    study(good, then);
    const auto text = told("run study.lua");
    EXPECT_TRUE(holds(text, std::string("study.lua:5: the runs have no setting or metric '") + name + "'\n")) << text;
    EXPECT_TRUE(holds(text, std::string("help: did you mean '") + meant + "'? metrics: ")) << text;
    EXPECT_TRUE(text.ends_with("exit 3")) << text;
  }
  study(good, "print(second['rewrad'])");
  const auto text = told("run study.lua");
  EXPECT_TRUE(holds(text, "study.lua:5: run 'second' has no metric 'rewrad'\n")) << text;
  EXPECT_TRUE(holds(text, "help: did you mean 'reward'? known: reward, ")) << text;
  EXPECT_TRUE(text.ends_with("exit 3")) << text;
  EXPECT_TRUE(nothing_began());
}

TEST_F(PluginTrial, LooksForRecordsInEverySplitThatIsRead) {
  experiment("x.toml", "[[rewards]]\nplugin = \"format\"\n");
  for (const std::string setting : {"grpo.split=trian", "validation.every=2 --set validation.split=trian",
                                    "task=evaluate --set evaluate.split=trian", "task=sft --set sft.split=trian"}) {
    for (const std::string command : {"run x.toml", "submit x.toml --write-only"}) {
      const auto text = told(command + " --set " + setting);
      EXPECT_TRUE(holds(text, "error: run 'x': datasets/esc_world: has no records in split 'trian'\n")) << text;
      EXPECT_TRUE(holds(text, ".split to a split with records; there are 20000 in train, 500 in valid, 500 in test"))
          << text;
      EXPECT_TRUE(text.ends_with("exit 4")) << text;
    }
  }
  EXPECT_TRUE(nothing_began());
}

TEST_F(PluginTrial, CountsTheExamplesThatNeighboursAreOf) {
  experiment("x.toml", "");
  const auto text = told("run x.toml --set task=sft --set sft.neighbours=3 --set sft.batch=6 --set sft.micro_batch=6");
  EXPECT_TRUE(
      holds(text, "sft.neighbours: is 3, but split 'train' has 20000 examples, which is not a multiple of it\n"))
      << text;
  EXPECT_TRUE(text.ends_with("exit 3")) << text;
  EXPECT_TRUE(nothing_began());
}

TEST_F(PluginTrial, AsksWhichValuesAreBetterWhereThatIsNotKnown) {
  experiment("x.toml", "[[rewards]]\nplugin = \"format\"\n[validation]\nevery = 2\nmetrics = [\"truncated\"]\n");
  const auto text = told("run x.toml --dry-run");
  EXPECT_TRUE(holds(text, "validation.better: must be set: whether a higher 'truncated' is better is not known\n"))
      << text;
  EXPECT_TRUE(text.ends_with("exit 3")) << text;
  EXPECT_TRUE(told("run x.toml --dry-run --set validation.better=lower").ends_with("exit 0"));
}

TEST_F(PluginTrial, RefusesAModelThatIsNotAsItWasWritten) {
  const std::string smallest = " --ranks 1 -q --set grpo.steps=1";
  ASSERT_TRUE(told("run " + smoke + smallest).ends_with("exit 0"));
  fs::copy(folder() / "results/smoke-grpo/checkpoints/step-000001", folder() / "mine");
  const std::string again =
      "run " + smoke + smallest + " --set name=again --set 'model={ plugin = \"qwen2\", path = \"mine\" }'";
  EXPECT_TRUE(told(again + " --dry-run").ends_with("exit 0")) << told(again + " --dry-run");
  {
    std::fstream file(folder() / "mine/model.safetensors", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('x');
  }
  for (const std::string dry : {" --dry-run", ""}) {
    const auto text = told(again + dry);
    EXPECT_TRUE(holds(
        text,
        "compeer: error: mine: model.path: model.safetensors was modified after it was written: SHA-256 mismatch\n"))
        << text;
    EXPECT_TRUE(text.ends_with("exit 4")) << text;
  }
  EXPECT_FALSE(fs::exists(folder() / "results/again"));
}

TEST_F(PluginTrial, RefusesATokenizerThatIsNotTheModelsAndAJudgeOfAnotherForm) {
  ASSERT_TRUE(told("run " + smoke + " --ranks 1 -q --set grpo.steps=1").ends_with("exit 0"));
  const std::string mine = "results/smoke-grpo/checkpoints/last";
  write(mine + "/form.json", R"({"judge": {"view": "orm", "prompts": "a/en", "prompts_sha256": "0"}})");
  experiment("x.toml", "[[rewards]]\nplugin = \"prm\"\nmodel = \"" + mine + "\"\n");
  for (const std::string command : {"run x.toml --dry-run", "run x.toml", "submit x.toml --dry-run"}) {
    const auto text = told(command);
    EXPECT_TRUE(holds(text, mine + ": this judge was trained with other settings: prompts: \"a/en\" in "
                                   "training, unset here; view: \"orm\" in training, \"prm\" here\n"))
        << text;
    EXPECT_TRUE(text.ends_with("exit 3")) << text;
  }
  const std::string other = COMPEER_SOURCE_DIR "/tests/golden/qwen2.5";
  for (const std::string dry : {" --dry-run", ""}) {
    const auto text = told("run " + smoke + " --set name=other --set 'model={ plugin = \"qwen2\", path = \"" + mine +
                           "\", tokenizer = \"" + other + "\" }'" + dry);
    EXPECT_TRUE(holds(text, "error: run 'other': model.tokenizer: the tokenizer in " + other +
                                " is not that of the model in " + mine + ": token 256 is '"))
        << text;
    EXPECT_TRUE(holds(text, "help: remove model.tokenizer, or set model.foreign_tokenizer = true to train")) << text;
    EXPECT_TRUE(text.ends_with("exit 3")) << text;
  }
  EXPECT_FALSE(fs::exists(folder() / "results/x") || fs::exists(folder() / "results/other"));
}

TEST_F(PluginTrial, FindsABaseThatNoRunIsBeforeTheFirstRun) {
  study("{ plugin = 'lua', path = 'good.lua' }",
        "print(compeer.results { first, second }:compare { 'reward', against = { ['grpo.clip'] = 0.3 } })");
  const auto text = told("run study.lua");
  EXPECT_TRUE(holds(text, "study.lua:5: no run has grpo.clip = 0.3\n")) << text;
  EXPECT_TRUE(holds(text, "help: there are: grpo.clip = 0.2\n")) << text;
  EXPECT_TRUE(text.ends_with("exit 3")) << text;
  EXPECT_TRUE(nothing_began());
}

TEST_F(PluginTrial, PromisesNoFigureThatARunWillNotHave) {
  for (const std::string name : {"kl", "advantage", "left_out"}) {
    study("{ plugin = 'lua', path = 'good.lua' }", "print(second['" + name + "'])");
    const auto text = told("run study.lua --dry-run");
    EXPECT_TRUE(holds(text, "run 'second' has no metric '" + name + "'\n")) << text;
  }
}

// A script's dry run accepts every metric that the run reports.
TEST_F(PluginTrial, PromisesEveryFigureOfARun) {
  ASSERT_TRUE(told("run " + smoke + " --set grpo.steps=2 --ranks 1 -q").ends_with("exit 0"));
  std::string names;
  const auto summary = nlohmann::json::parse(std::ifstream(folder() / "results/smoke-grpo/summary.json"));
  for (const auto& [name, value] : summary.at("metrics").items()) names += "'" + name + "', ";
  ASSERT_FALSE(names.empty());
  study("{ plugin = 'lua', path = 'good.lua' }",
        "compeer.results { first }:report { output = 'x.html', columns = { 'name', " + names + " } }\n");
  const auto text = told("run study.lua --dry-run");
  EXPECT_TRUE(text.ends_with("exit 0")) << text;
}

// Records and memory printed by a dry run. Missing models and records are outputs of earlier runs.

class PreviewOf : public Program {
 protected:
  PreviewOf() {
    std::string dialogues;
    for (int i = 0; i < 5; ++i)
      dialogues += R"({"id":"d)" + std::to_string(i) + R"(","turns":[{"role":"user","text":")" + std::string(384, 'a') +
                   R"("},{"role":"assistant","text":")" + std::string(384, 'b') + "\"}]}\n";
    write("d.jsonl", dialogues);
    write("judged.toml",
          "name = 'judged'\ntask = 'data'\n[dataset]\nplugin = 'profiles'\npath = 'd.jsonl'\n"
          "[[stages]]\nplugin = 'sample'\nrounds = 1\n");
    fs::create_directories(folder() / "big");  // Qwen2.5-7B: 7,615,616,512 weights
    write("big/config.json",
          R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,)"
          R"("num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,)"
          R"("tie_word_embeddings": false, "torch_dtype": "bfloat16"})");
    write("taught.toml",
          "name = 'taught'\ntask = 'sft'\nranks = 2\nshard = 'optimizer'\n"
          "[model]\nplugin = 'qwen2'\npath = 'big'\nengine = 'libtorch'\ncompute = 'bfloat16'\ndevice = 'auto'\n"
          "recompute_above = 0\n[dataset]\nplugin = 'cer'\npath = 'x'\nview = 'policy'\nmax_prompt_tokens = 100\n"
          "[sft]\nbatch = 4\ntogether = 1\nsteps = 1000\n");
    write("study.lua",
          "local compeer = require 'compeer'\nlocal judged = compeer.load('judged.toml'):launch()\n"
          "local taught = compeer.load('taught.toml'):with { dataset = { path = judged.records } }\n"
          "taught:launch()\ntaught:with { name = 'taught-2', seed = 2 }:launch()\n");
  }

  static std::string behind(const std::string& text, const std::string& mark) {
    const auto at = text.find(mark);
    return at == text.npos ? text : text.substr(at);
  }
};

TEST_F(PreviewOf, CountsTheRecordsOfEverySplit) {
  EXPECT_EQ(behind(told("run judged.toml --dry-run"), "\nestimated"),
            "\nestimated:\njudged\n    records: test 5\n    memory of a rank: 0.146 GiB on CPUs\nexit 0");
  EXPECT_NE(told("run judged.toml --dry-run --set data.records=3").find("    records: test 3\n"), std::string::npos);
}

// In MiB. GPU: weights 14,526, gradients 29,051, recomputed activations of 200 tokens 217, logits and the head's
// gradient 2,591. Host with a GPU: 150, and master weights, gradient and half of AdamW's state 87,154. CPUs: 150,
// weights 29,051, half of AdamW's state 29,051, copies 14,526, gradient 29,051, activations 293.
TEST_F(PreviewOf, MemoryIsThatOfAModelWithoutWeights) {
  const std::string each =
      "    memory of a rank: 99.7 GiB on CPUs; 45.3 GiB of GPU memory and 85.3 GiB of host memory with a GPU\n"
      "    not known yet: dataset (its records come from an earlier run of the script)\n";
  EXPECT_EQ(behind(told("run study.lua --dry-run"), "\ntaught\n"),
            "\ntaught\n" + each + "taught-2\n" + each + "exit 0");
}

TEST_F(PreviewOf, ModelsOfPluginsTakeMemoryToo) {
  write("big/model.safetensors", "");  // the stage requires a weights file, which is not read
  write("judged.toml",
        "name = 'judged'\ntask = 'data'\n[dataset]\nplugin = 'profiles'\npath = 'd.jsonl'\n"
        "[[stages]]\nplugin = 'perplexity'\nmodel = 'big'\n");
  const auto text = told("run judged.toml --dry-run");  // 150 MiB, and two bytes per weight
  EXPECT_NE(text.find("memory of a rank: 14.3 GiB on CPUs\n"), std::string::npos) << text;
}

TEST_F(PreviewOf, RunsThatHaveFinishedAreLeftOut) {
  const auto small = " --set name=x --set grpo.steps=1 --set grpo.batch=2 -q";
  ASSERT_TRUE(told("run " + smoke + small).ends_with("exit 0"));
  EXPECT_EQ(told("run " + smoke + small + " --dry-run").find("estimated"), std::string::npos);
}

TEST_F(PreviewOf, WhatIsNotKnownIsNamed) {
  write("big/config.json", R"({"model_type": "qwen2"})");
  EXPECT_EQ(behind(told("run taught.toml --set 'dataset={plugin=\"profiles\",path=\"d.jsonl\"}' --set sft.split=test "
                        "--dry-run"),
                   "\ntaught\n"),
            "\ntaught\n    records: test 5\n"
            "    not known yet: model (big/config.json has no 'num_hidden_layers')\nexit 0");
}

}  // namespace
}  // namespace compeer::launch
