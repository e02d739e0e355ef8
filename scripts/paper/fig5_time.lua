-- Figure 5b of the paper with its settings: seconds per completion, of training and of judging alone, with one judge
-- for steps and reply or two. The policies are table2.lua's.
local compeer = require "compeer"
local laboratory = require "laboratory"
local new_method = require "lib.method"

local function per_completion(column)
  return function(result) return result[column] / result:get "grpo.batch" / result:get "grpo.group_size" end
end

compeer.study {
  name = "paper fig5 time",
  seeds = laboratory.seeds,
  rows = { "POR", "UR" },
  run = function(seed, row) return new_method(seed).policy(row.name) end,
  figures = {
    { "training", per_completion "seconds/step", better = "lower" },
    { "judging", per_completion "seconds/score", better = "lower" },
  },
  against = "POR",
}
