-- Table 3 of the paper on esc_world: SAGE, where a simulated seeker rates its emotion after each reply. Measures the
-- mean emotion at the end, the shares of dialogues that end at 100 (success) and below 10 (failure), and the rounds.
-- The policies are table2.lua's; either script trains them if they do not exist.
local compeer = require "compeer"
local new_method = require "lib.method"
local policies = require "lib.policies"

local study = compeer.study {
  name = "table3",
  seeds = 3,
  rows = policies,
  run = function(seed, row)
    local method = new_method(seed)
    local policy = method.run(row.run, row.changes).checkpoint
    return method.run("sage", { name = "sage-" .. row.name, ["stages[0].supporter.path"] = policy })
  end,
  figures = {
    { "mean emotion", "sage.mean_emotion" },
    { "success", "sage.success" },
    { "failure", "sage.failure", better = "lower" },
    { "rounds", "sage.rounds", better = "neither" },
    { "true quality", "world_truth.quality" },
    { "repetition", "diversity.repetition", better = "lower" },
  },
  against = "SFT",
}
compeer.report { title = "SAGE on esc_world", output = compeer.folder .. "/table3.html", runs = study.runs }
