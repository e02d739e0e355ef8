-- Figure 5a of the paper with its settings: how often a judge's verdicts on the steps contradict its verdict on the
-- reply, according to GPT-4o.
local compeer = require "compeer"
local laboratory = require "laboratory"
local new_method = require "lib.method"

compeer.study {
  name = "paper fig5",
  seeds = laboratory.seeds,
  rows = { { "PRM and ORM", views = { "prm", "orm" } }, { "UnifiReward", views = { "unifireward" } } },
  run = function(seed, row) return new_method(seed).consistency(row) end,
  figures = { { "inconsistent", "consistency.contradictory", better = "lower" } },
  against = "PRM and ORM",
}
