-- Does a policy that learns from a judge get better in truth, and how far do the two drift apart? SFT against UR over
-- seeds, each with a world, a data set, policies and a judge of its own; replies are sampled as in training, and
-- greedy. Seven to ten minutes a seed on two cores.
local compeer = require "compeer"
local new_method = require "lib.method"

local function drift(run)
  return run["unifireward.reward"] - run["esc_world_truth.reward"]
end

compeer.study {
  name = "judged or true",
  seeds = 5,
  rows = {
    { "SFT, sampled", policy = "esc-world-cer-sft", test = "sft-sampled" },
    { "UR, sampled", policy = "esc-world-ur", test = "ur-sampled" },
    { "SFT, greedy", policy = "esc-world-cer-sft", test = "sft-greedy", greedy = true },
    { "UR, greedy", policy = "esc-world-ur", test = "ur-greedy", greedy = true },
  },
  run = function(seed, row)
    local method = new_method(seed)
    return method.run("esc-world-tried", {
      name = row.test,
      model = { path = method.run(row.policy).checkpoint },
      sampling = { greedy = row.greedy or false },
      evaluate = { group_size = row.greedy and 1 or 4 },
    })
  end,
  figures = {
    { "true reward", "esc_world_truth.reward" },
    { "judged reward", "unifireward.reward" },
    { "judged - true", drift, better = "neither" },
    { "true quality", "esc_world_truth.quality" },
  },
  contrasts = { { "UR, sampled", "SFT, sampled" }, { "UR, greedy", "SFT, greedy" } },
}
