-- Effect of matrix products in bfloat16 (model.compute) on learning. SFT, judge and UR are trained in both arithmetics,
-- on the same data and from the same models; each policy is evaluated in the arithmetic it was trained in. Five seeds,
-- each with its own world; models of table2.lua are reused if they exist, and the figures of each seed are kept. Takes
-- twenty minutes a seed on two cores, eight after table2.lua.
local compeer = require "compeer"
local new_method = require "lib.method"

local function trained(method, compute)
  if compute == "float32" then return method.run "esc-world-ur" end
  local function again(name, changes)
    changes.name, changes["model.compute"] = name .. "-" .. compute, compute
    return method.run(name, changes)
  end
  local judge = again("esc-world-judge", {}).checkpoint
  local accuracy = method.run("judge-accuracy", { name = "judge-accuracy-" .. compute, ["stages[0].model"] = judge })
  return again("esc-world-ur", {
    ["model.path"] = again("esc-world-cer-sft", {}).checkpoint,
    ["rewards[0].model"] = judge,
    ["rewards[0].accuracy"] = accuracy.path,
  })
end

local learned = {}
compeer.study {
  name = "arithmetic",
  seeds = { 8, 9, 10, 11, 12 },
  kept = "docs/lab/data/arithmetic",
  rows = { { "float32" }, { "bfloat16" } },
  run = function(seed, row)
    local method = new_method(seed)
    local policy = trained(method, row.name)
    table.insert(learned, policy)
    return method.run("esc-world-tried", {
      name = "tried-" .. row.name,
      model = { path = policy.checkpoint, compute = row.name },
    })
  end,
  figures = {
    { "true reward", "esc_world_truth.reward" }, { "judged reward", "unifireward.reward" },
    { "true quality", "esc_world_truth.quality" }, { "grammatical", "esc_world_truth.grammatical" },
    { "entropy", "entropy", better = "neither" }, { "alike in a group", "redundancy.s_in", better = "lower" },
  },
  contrasts = { { "bfloat16", "float32", { "true reward", "true quality", "judged reward", "entropy" } } },
}
if #learned > 0 then -- seeds with kept figures train nothing
  print(compeer.results(learned):table("name", "reward", "entropy", "kl", "rollout_trainer_max_diff"))
end
