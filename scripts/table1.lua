-- Table 1 of the paper on esc_world: what judges learn from the same annotated records, each seed in a world of its
-- own. Half an hour on two cores; docs/lab/judges.md says what is compared. Contradictions: fig5_consistency.lua.
-- Judges of your own, folders or endpoints, are further rows: lib/judges.lua.
local compeer = require "compeer"
local new_method = require "lib.method"
local judges = require "lib.judges"

local accuracy = {
  "history.weighted_f1", "history.false_recall", "emotion.weighted_f1", "emotion.false_recall",
  "strategy.weighted_f1", "strategy.false_recall",
  "reply.weighted_f1", "reply.better_or_not", "reply.ranked_within_rounds",
}
local cost = {
  { "seconds a record", "reward_accuracy.seconds_a_record", better = "lower" },
  { "cost a record", "reward_accuracy.cost_a_record", better = "lower" },
}

compeer.study {
  name = "table1",
  seeds = 3,
  rows = judges,
  run = function(seed, row)
    local method = new_method(seed, { world = { seed = seed }, start = new_method(1) }) -- SFT of another world
    return method.run("table1-accuracy", { name = "table1 " .. row.name, stages = { judges.asked(method, row) } })
  end,
  figures = table.move(cost, 1, #cost, #accuracy + 1, { table.unpack(accuracy) }),
  contrasts = {
    { "unifireward", "prm + orm", accuracy }, { "unifireward", "equal compute", accuracy },
    { "-R", "-D", accuracy }, { "-P", "-D", accuracy },
  },
}
