// The records and the memory that a dry run prints. Models and records that aren't there are those of runs before.
#include "../program.h"

namespace compeer::launch {
namespace {

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

// In MiB, on a GPU: weights 14,526, gradients 29,051, 200 tokens that are computed again 217, logits and the head's
// gradient 2,591; on its host 150, and master, gradient and half of AdamW's state 87,154; on CPUs 150, weights 29,051,
// half of AdamW's state 29,051, copies 14,526, a gradient 29,051, 293.
TEST_F(PreviewOf, MemoryIsThatOfAModelWithoutWeights) {
  const std::string each =
      "    memory of a rank: 99.7 GiB on CPUs; 45.3 GiB of a GPU and 85.3 GiB of its host\n"
      "    not known yet: dataset (its records are made by a run before it)\n";
  EXPECT_EQ(behind(told("run study.lua --dry-run"), "\ntaught\n"),
            "\ntaught\n" + each + "taught-2\n" + each + "exit 0");
}

TEST_F(PreviewOf, ModelsOfPluginsTakeMemoryToo) {
  write("big/model.safetensors", "");  // the stage asks for weights, which aren't read
  write("judged.toml",
        "name = 'judged'\ntask = 'data'\n[dataset]\nplugin = 'profiles'\npath = 'd.jsonl'\n"
        "[[stages]]\nplugin = 'perplexity'\nmodel = 'big'\n");
  const auto text = told("run judged.toml --dry-run");  // 150 MiB and two bytes for each weight
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
