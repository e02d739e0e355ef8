-- What do products in bfloat16 (model.compute) do to a pretrained model's learning? SmolLM2's SFT and GRPO, as in
-- smollm2.lua but half as long, in both arithmetics, tried in the one that it learned in. Five seeds, whose figures are
-- kept; half an hour a seed on two cores.
local compeer = require "compeer"
local smollm2 = require "lib.smollm2"

local shorter = compeer.quick and {} or { sft = { steps = 80 }, grpo = { steps = 16 }, evaluate = { prompts = 128 } }
local learned = {}
compeer.study {
  name = "smollm2_arithmetic",
  seeds = 5,
  kept = "docs/lab/data/smollm2_arithmetic",
  rows = { { "float32" }, { "bfloat16" } },
  run = function(seed, row)
    local name = "smollm2-" .. row.name .. "-" .. seed
    local base = smollm2.base
      :with(shorter)
      :with { seed = seed, rewards = { { plugin = "esc_world_truth" } }, model = { compute = row.name } }
    local _, grpo = smollm2.learnt(base, name)
    table.insert(learned, grpo)
    return smollm2.tried(base, name .. "-tried", { path = grpo.checkpoint })
  end,
  figures = {
    { "true reward", "esc_world_truth.reward" }, { "true quality", "esc_world_truth.quality" },
    { "format", "esc_world_truth.format" }, { "grammatical", "esc_world_truth.grammatical" },
    { "entropy", "entropy", better = "neither" },
  },
  contrasts = { { "bfloat16", "float32", { "true reward", "true quality", "entropy" } } },
}
if #learned > 0 then -- of seeds that are kept nothing was
  print(compeer.results(learned):table("name", "reward", "entropy", "rollout_trainer_max_diff"))
end
