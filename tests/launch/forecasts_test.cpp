// What a dry run says that runs will take. Models and records that aren't there are those of runs before.
#include "../program.h"

namespace compeer::launch {
namespace {

class ForecastsOf : public Program {
 protected:
  ForecastsOf() {
    for (int i = 0; i < 5; ++i)
      dialogues_ += R"({"id":"d)" + std::to_string(i) + R"(","turns":[{"role":"user","text":")" +
                    std::string(387, 'a') + R"("},{"role":"assistant","text":")" + std::string(398, 'b') + "\"}]}\n";
    write("d.jsonl", dialogues_);
    write("judged.toml",
          "name = 'judged'\ntask = 'data'\n[dataset]\nplugin = 'profiles'\npath = 'd.jsonl'\n"
          "[[stages]]\nplugin = 'filter'\nmax_tokens = 100\n"
          "chat = { plugin = 'openai', url = 'http://127.0.0.1:9/v1', name = 'big-one', price_in = 1000.0, price_out "
          "= 10000.0, key_env = 'NO_KEY' }\n"
          "[[stages]]\nplugin = 'sample'\nrounds = 1\n"
          "[[stages]]\nplugin = 'split'\nagain = ['train', 'valid', 'test']\nvalid = 0.2\ntest = 0.2\n");
    fs::create_directories(folder() / "big");  // Qwen2.5-7B: 7,615,616,512 weights, of them 7,070,619,136 multiplied
    write("big/config.json",
          R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,)"
          R"("num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,)"
          R"("tie_word_embeddings": false, "torch_dtype": "bfloat16"})");
    write("taught.toml",
          "name = 'taught'\ntask = 'sft'\nranks = 2\nshard = 'optimizer'\n"
          "[model]\nplugin = 'qwen2'\npath = 'big'\nengine = 'libtorch'\ncompute = 'bfloat16'\ndevice = 'auto'\n"
          "recompute_above = 0\n[dataset]\nplugin = 'cer'\npath = 'x'\nview = 'policy'\n"
          "[sft]\nbatch = 4\ntogether = 1\nsteps = 1000\n[checkpoint]\nkeep = 1\n");
    write("study.lua",
          "local compeer = require 'compeer'\nlocal judged = compeer.load('judged.toml'):launch()\n"
          "local taught = compeer.load('taught.toml'):with { dataset = { path = judged.records } }\n"
          "taught:launch()\ntaught:with { name = 'taught-2', seed = 2 }:launch()\n");
  }

  static std::string behind(const std::string& text, const std::string& mark) {
    const auto at = text.find(mark);
    return at == text.npos ? text : text.substr(at);
  }

  std::string dialogues_;
};

// Five dialogues of 200 tokens (4 bytes each, two roles and an id among them) and 300 of instructions: 2,500 are read,
// 500 may be written.
TEST_F(ForecastsOf, RequestsHaveTheirPrice) {
  EXPECT_EQ(behind(told("run judged.toml --dry-run"), "\nat most"),
            "\nat most, by arithmetic:\n"
            "judged\n"
            "    makes at most 5 records: test 1, train 3, valid 1\n"
            "    big-one: 5 requests, 0.0025 million tokens read, 0.0005 written, cost 7.50\n"
            "without a key, for it is not set: $NO_KEY\n"
            "exit 0");
  EXPECT_EQ(told("run judged.toml --dry-run --set stages[0].chat.key_env=PATH").find("without a key"),
            std::string::npos);
}

TEST_F(ForecastsOf, RecordsAndRequestsAreWhole) {
  auto more = dialogues_.substr(0, dialogues_.find("{\"id\":\"d2"));
  for (size_t at = 0; (at = more.find("\"d", at)) != more.npos; ++at) more[at + 1] = 'e';
  write("d.jsonl", dialogues_ + more);
  const auto said = told("run judged.toml --dry-run");
  EXPECT_NE(said.find("    makes at most 7 records: test 1, train 5, valid 1\n"), said.npos) << said;
}

// 4,000 rounds of 100 tokens, four passes: 4e5 x 4 x (2 x 7.07e9 + 4 x 28 x 3584 x 50) operations. An A100 gets a sixth
// of 312e12 of them a second, an H100 of 989e12, a core 5e10. In MiB, on a GPU: weights 14,526, gradients 29,051, 200
// tokens that are computed again 217, logits and the head's gradient 2,591; on its host 150, and master, gradient and
// half of AdamW's state 87,154; on CPUs 150, weights 29,051, half of AdamW's state 29,051, copies 14,526, a
// gradient 29,051, 293: 99.7 GiB.
TEST_F(ForecastsOf, TrainingCountsOperationsAndMemoryOfAModelWithoutWeights) {
  EXPECT_EQ(behind(told("run study.lua --dry-run"), "taught\n    "),
            "taught\n"
            "    2.3e+16 operations: A100 7 min, H100 2 min, H200 2 min; core 5.2 days\n"
            "    memory of a rank: 100 GiB on CPUs; 45 GiB of a GPU and 85 GiB of its host\n"
            "    checkpoints: 91 GB, and 91 more while one is written\n"
            "taught-2: as taught\n"
            "in all\n"
            "    big-one: 5 requests, 0.0025 million tokens read, 0.0005 written, cost 7.50\n"
            "    4.5e+16 operations: A100 15 min, H100 5 min, H200 5 min; core 10 days\n"
            "    checkpoints: 183 GB, and 91 more while one is written\n"
            "without a key, for it is not set: $NO_KEY\n"
            "exit 0");
}

// Two or three prompts of 100 tokens and one token behind each: 101 x 2 x 7.07e9 operations a prompt, beside attention;
// three cut to 10 tokens.
TEST_F(ForecastsOf, EvaluationsCountTheirPromptsAndCutLongOnes) {
  write("measure.lua",
        "local compeer = require 'compeer'\nlocal judged = compeer.load('judged.toml'):launch()\n"
        "for _, one in ipairs { { 2, 1000 }, { 3, 1000 }, { 3, 10 } } do\n"
        "  compeer.load('taught.toml'):with { name = 'measured-' .. one[1] .. '-' .. one[2], task = 'evaluate',\n"
        "    dataset = { path = judged.records, max_prompt_tokens = one[2] }, sampling = { max_new_tokens = 1 },\n"
        "    rewards = { { plugin = 'format' } },\n"
        "    evaluate = { prompts = one[1], group_size = 1, split = 'train' } }:launch()\nend\n");
  const auto said = told("run measure.lua --dry-run");
  for (const char* line : {"2-1000\n    2.9e+12 operations", "3-1000\n    4.3e+12 operations", "3-10\n    4.7e+11 o"})
    EXPECT_NE(said.find(line), said.npos) << said;
}

TEST_F(ForecastsOf, RunsThatHaveFinishedAreNot) {
  const auto small = " --set name=x --set grpo.steps=1 --set grpo.batch=2 -q";
  ASSERT_TRUE(told("run " + smoke + small).ends_with("exit 0"));
  EXPECT_EQ(told("run " + smoke + small + " --dry-run").find("at most"), std::string::npos);
}

TEST_F(ForecastsOf, WhatCantBeToldIsNamed) {
  write("big/config.json", R"({"model_type": "qwen2"})");
  EXPECT_EQ(behind(told("run taught.toml --set dataset.plugin=profiles --set dataset.path=d.jsonl --set sft.split=test "
                        "--dry-run"),
                   "taught\n"),
            "taught\n    not known yet of: model (big/config.json has no 'num_hidden_layers')\nexit 0");
}

}  // namespace
}  // namespace compeer::launch
