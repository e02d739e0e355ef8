-- Figure 5b of the paper with its settings: seconds of training, and of judging alone, for each completion: one judge
-- for steps and reply, or two. The policies are table2.lua's.
local compeer = require "compeer"
local laboratory = require "laboratory"
local new_method = require "lib.method"

local function of_a_completion(column)
  return function(result) return result[column] / result:get "grpo.batch" / result:get "grpo.group_size" end
end

compeer.study {
  name = "paper fig5 time",
  seeds = laboratory.seeds,
  rows = { "POR", "UR" },
  run = function(seed, row) return new_method(seed).policy(row.name) end,
  figures = {
    { "training", of_a_completion "seconds/step", better = "lower" },
    { "judging", of_a_completion "seconds/score", better = "lower" },
  },
  against = "POR",
}
