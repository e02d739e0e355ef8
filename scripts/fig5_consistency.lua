-- Figure 5 of the paper on esc_world: how often a judge's verdicts on the steps contradict its verdict on the reply, by
-- the world's truth and by the annotators' labels. Compares one judge for both (UnifiReward) with two judges, all
-- trained by table2.lua.
local compeer = require "compeer"
local new_method = require "lib.method"

compeer.study {
  name = "fig5",
  seeds = 3,
  rows = {
    { "PRM and ORM", steps = "esc-world-prm", reply = "esc-world-orm" },
    { "equal compute", steps = "esc-world-prm-0.5", reply = "esc-world-orm-0.5" },
    { "UnifiReward", steps = "esc-world-judge" },
  },
  run = function(seed, row)
    local method = new_method(seed)
    local model = method.run(row.steps).checkpoint
    local outcome = row.reply and method.run(row.reply).checkpoint
    return method.run("consistency", {
      name = "consistency " .. row.name,
      ["stages[0]"] = { model = model, outcome_model = outcome },
      ["stages[1]"] = { model = model, outcome_model = outcome },
    })
  end,
  figures = {
    { "truth.contradictory", better = "lower" }, { "truth.apart", better = "lower" },
    { "labels.contradictory", better = "lower" }, { "labels.by_chance", better = "lower" },
    { "labels.overlooked", better = "lower" },
  },
  against = "PRM and ORM",
}
