-- The policies of the paper's Tables 2 and 3 on esc_world, as rows of a study, with controls that tell what of UR's gain
-- is due to what: method.run(row.run, row.changes). POR stands at equal records (each of its two judges learns from as
-- many as UR's one judge, as in the paper) and at equal compute (half as many for each).
return {
  { "base", run = "esc-world-base" },   -- speaks the world's language, and was never taught to support
  { "writers", run = "esc-world-sft" }, -- imitates the writers
  { "SFT", run = "esc-world-cer-sft" },
  { "POR", run = "esc-world-por" },
  { "POR equal compute", run = "esc-world-por-0.5" },
  { "UR", run = "esc-world-ur" },
  { "URP", run = "esc-world-urp" },
  { "URP as in the paper", run = "esc-world-urp-paper" },
  { "format only", run = "esc-world-ur", changes = { name = "esc-world-format", rewards = { { plugin = "format" } } } },
  { "steps only", run = "esc-world-ur", changes = { name = "esc-world-steps", ["rewards[0].reply_weight"] = 0 } },
  { "perfect verdict", run = "esc-world-ur", changes = { -- as UnifiReward would be if it were always right
    name = "esc-world-perfect",
    rewards = { { plugin = "esc_world_truth", reply = "preference" } },
  } },
}
