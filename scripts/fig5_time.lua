-- Figure 5b of the paper on esc_world: the time a judge takes in training. Seconds per completion of GRPO, in total and
-- of judging alone, with one judge for steps and reply (UnifiReward) or two. The policies are table2.lua's. If other
-- programs run on the machine, only ratios within a seed are meaningful.
local compeer = require "compeer"
local new_method = require "lib.method"

local completions = 8 * 4 -- per training step: prompts times completions per prompt

local function per_completion(column)
  return function(result)
    return result[column] / completions
  end
end

compeer.study {
  name = "fig5 time",
  seeds = 3,
  rows = {
    { "POR", run = "esc-world-por" }, { "POR equal compute", run = "esc-world-por-0.5" }, { "UR", run = "esc-world-ur" },
  },
  run = function(seed, row)
    return new_method(seed).run(row.run)
  end,
  figures = {
    { "training", per_completion "seconds/step", better = "lower" },
    { "judging", per_completion "seconds/score", better = "lower" },
  },
  against = "POR",
}
