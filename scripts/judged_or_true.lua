-- Does a policy that learns from a judge improve by the world's truth? Single replies to 400 seekers, sampled as in
-- training and greedy, are scored by the truth and by the judge. Controls: policies rewarded for the format alone or
-- for the steps alone, and one trained with a judge that is always right. Policies and seeds are table2.lua's.
local compeer = require "compeer"
local new_method = require "lib.method"
local policies = require "lib.policies"

local rows = {}
for _, row in ipairs(policies) do
  table.insert(rows, { row[1], run = row.run, changes = row.changes, greedy = false })
  local also_greedy = row[1] == "SFT" or row[1] == "UR" or row[1] == "format only"
  if also_greedy then table.insert(rows, { row[1] .. ", greedy", run = row.run, changes = row.changes, greedy = true }) end
end

local truth, reward = { "true reward", "true quality" }, { "true reward" }

compeer.study {
  name = "judged or true",
  seeds = 16,
  kept = "docs/lab/data/judged_or_true",
  rows = rows,
  run = function(seed, row)
    local method = new_method(seed)
    return method.run("esc-world-tried", {
      name = "tried-" .. row.name,
      model = { path = method.run(row.run, row.changes).checkpoint },
      sampling = { greedy = row.greedy },
      evaluate = { group_size = row.greedy and 1 or 4 },
    })
  end,
  figures = {
    { "true reward", "esc_world_truth.reward" }, { "judged reward", "unifireward.reward" },
    { "true quality", "esc_world_truth.quality" },
    { "history", "esc_world_truth.history" }, { "emotion", "esc_world_truth.emotion" },
    { "strategy", "esc_world_truth.strategy" }, { "format", "esc_world_truth.format" },
    { "grammatical", "esc_world_truth.grammatical" }, { "follows", "esc_world_truth.follows" },
    { "alike in a group", "redundancy.s_in", better = "lower" },
  },
  contrasts = { -- fixed before any seed was run
    { "UR", "SFT", truth }, { "UR", "format only", truth }, { "UR", "steps only", truth }, { "UR", "POR", truth },
    { "UR", "POR equal compute", truth }, { "URP", "UR", truth }, { "perfect verdict", "UR", truth },
    { "UR, greedy", "SFT, greedy", reward }, { "UR, greedy", "format only, greedy", reward },
  },
}
