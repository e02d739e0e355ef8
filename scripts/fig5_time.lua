-- Figure 5b of the paper on esc_world: what a judge costs in training. Seconds for each round of GRPO, all of them and
-- those of judging alone, with one judge for both (UnifiReward) or two. The policies are table2.lua's. On a machine that
-- does other things at the same time, only ratios within a seed mean something.
local compeer = require "compeer"
local new_method = require "lib.method"

local rounds = 8 * 4 -- of a step: prompts, and completions of each

local function of_a_round(column)
  return function(result)
    return result[column] / rounds
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
    { "training", of_a_round "seconds/step", better = "lower" }, { "judging", of_a_round "seconds/score", better = "lower" },
  },
  against = "POR",
}
