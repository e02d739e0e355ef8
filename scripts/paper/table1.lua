-- Table 1 of the paper with its settings: what judges know of 574 held-out records. Chat models, and judges that learn
-- from CER: -D sees records twice, -R in other words, -P said by other persons.
local compeer = require "compeer"
local laboratory = require "laboratory"
local new_method = require "lib.method"

compeer.study {
  name = "paper table1",
  seeds = laboratory.seeds,
  rows = {
    { "GPT-4o", asked = "gpt-4o" },
    { "InternVL3", asked = "InternVL3-8B" },
    { "Qwen2.5-VL", asked = "Qwen2.5-VL-7B-Instruct" },
    { "Keye-VL", asked = "Keye-VL-8B-Preview" },
    { "MiMo-VL", asked = "MiMo-VL-7B-RL" },
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
