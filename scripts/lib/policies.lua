-- The policies of the paper's Tables 2 and 3 on esc_world, as rows of a study, with controls that separate the causes
-- of UR's gain: method.run(row.run, row.changes). POR has two judges; it appears at equal records (each judge learns
-- from as many records as UR's judge, as in the paper) and at equal compute (each from half as many).
return {
  { "base", run = "esc-world-base" },   -- pretrained on the world's language, without SFT
  { "writers", run = "esc-world-sft" }, -- SFT on the writers' replies
  { "SFT", run = "esc-world-cer-sft" },
  { "POR", run = "esc-world-por" },
  { "POR equal compute", run = "esc-world-por-0.5" },
  { "UR", run = "esc-world-ur" },
  { "URP", run = "esc-world-urp" },
  { "URP as in the paper", run = "esc-world-urp-paper" },
  { "format only", run = "esc-world-ur", changes = { name = "esc-world-format", rewards = { { plugin = "format" } } } },
  { "steps only", run = "esc-world-ur", changes = { name = "esc-world-steps", ["rewards[0].reply_weight"] = 0 } },
  { "perfect verdict", run = "esc-world-ur", changes = { -- UnifiReward with verdicts that are always right
    name = "esc-world-perfect",
    rewards = { { plugin = "esc_world_truth", reply = "preference" } },
  } },
}
