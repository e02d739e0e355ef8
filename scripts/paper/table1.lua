-- Table 1 of the paper with its settings: the accuracy of judges on 574 held-out records. Judges are chat models, and
-- models that learn from CER: -D learns from each record twice, -R also from paraphrases, -P from records rewritten
-- with other personas.
local compeer = require "compeer"
local laboratory = require "laboratory"
local new_method = require "lib.method"

compeer.study {
  name = "paper table1",
  seeds = laboratory.seeds,
  rows = {
    { "GPT-4o", chat_model = "gpt-4o" },
    { "InternVL3", chat_model = "InternVL3-8B" },
    { "Qwen2.5-VL", chat_model = "Qwen2.5-VL-7B-Instruct" },
    { "Keye-VL", chat_model = "Keye-VL-8B-Preview" },
    { "MiMo-VL", chat_model = "MiMo-VL-7B-RL" },
    { "PRM and ORM", views = { "prm", "orm" }, rewritten = "left_out" },
    { "UnifiReward", views = { "unifireward" }, rewritten = "left_out" },
    { "UnifiReward-D", views = { "unifireward" }, rewritten = "replaced" },
    { "UnifiReward-R", views = { "unifireward" }, rewriting = "plain" },
    { "UnifiReward-P", views = { "unifireward" } },
  },
  run = function(seed, row) return new_method(seed).accuracy(row) end,
  figures = {
    "history.weighted_f1", "history.false_recall", "emotion.weighted_f1", "emotion.false_recall",
    "strategy.weighted_f1", "strategy.false_recall", "reply.weighted_f1", "reply.accuracy",
  },
  contrasts = {
    { "UnifiReward", "PRM and ORM" }, { "UnifiReward-R", "UnifiReward-D" }, { "UnifiReward-P", "UnifiReward-D" },
  },
}
