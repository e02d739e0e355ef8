-- Effect of matrix products in bfloat16 (model.compute) on a pretrained model's learning: SFT and GRPO of SmolLM2 as in
-- smollm2.lua, half as long, in both arithmetics; each policy is evaluated in the arithmetic it was trained in. Five
-- seeds, half an hour each on two cores; the figures of each seed are kept.
local compeer = require "compeer"

local shorter = { sft = { steps = 80 }, grpo = { steps = 16 }, evaluate = { prompts = 128 } }
if compeer.quick then
  shorter = { sft = { steps = 40 }, grpo = { group_size = 4, steps = 4 }, evaluate = { prompts = 12 } }
end
local smollm2 = compeer.load("experiments/real/smollm2.toml"):with(shorter)
local learned = {}
compeer.study {
  name = "smollm2_arithmetic",
  seeds = 5,
  kept = "docs/lab/data/smollm2_arithmetic",
  rows = { { "float32" }, { "bfloat16" } },
  run = function(seed, row)
    local name = "smollm2-" .. row.name .. "-" .. seed
    local base = smollm2:with { seed = seed, model = { compute = row.name } }
    local sft = base:with({
      name = name .. "-sft",
      task = "sft",
      model = { adapter = { rank = 16, alpha = 32.0 } },
      optimizer = { schedule = "cosine", warmup = compeer.quick and 2 or 10 },
    }):launch()
    local grpo = base:with({ name = name .. "-grpo", task = "grpo", model = { adapter = { path = sft.output } } }):launch()
    table.insert(learned, grpo)
    local test = { name = name .. "-tried", model = { adapter = { path = grpo.output } }, sampling = { temperature = 0.7 } }
    return base:with(test):launch()
  end,
  figures = {
    { "true reward", "esc_world_truth.reward" }, { "true quality", "esc_world_truth.quality" },
    { "format", "esc_world_truth.format" }, { "grammatical", "esc_world_truth.grammatical" },
    { "entropy", "entropy", better = "neither" },
  },
  contrasts = { { "bfloat16", "float32", { "true reward", "true quality", "entropy" } } },
}
if #learned > 0 then -- seeds with kept figures train nothing
  print(compeer.results(learned):table("name", "reward", "entropy", "rollout_trainer_max_diff"))
end
