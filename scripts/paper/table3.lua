-- Table 3 of the paper with its settings: SAGE, a hundred scenarios of up to twenty rounds with seekers played by
-- GPT-4o. The policies are table2.lua's; either script trains them if they do not exist.
local compeer = require "compeer"
local laboratory = require "laboratory"
local new_method = require "lib.method"
local policies = require "lib.policies"

compeer.study {
  name = "paper table3",
  seeds = laboratory.seeds,
  rows = policies,
  run = function(seed, row) return new_method(seed).sage(row) end,
  figures = { -- shares are shown as numbers of dialogues out of a hundred
    { "Sentient", "sage.mean_emotion" },
    { "Success", function(result) return 100 * result["sage.success"] end },
    { "Failure", function(result) return 100 * result["sage.failure"] end, better = "lower" },
  },
  contrasts = { { "SFT", "Qwen2.5-VL R" }, { "POR", "SFT" }, { "UR", "SFT" }, { "UR", "POR" }, { "URP", "UR" } },
}
