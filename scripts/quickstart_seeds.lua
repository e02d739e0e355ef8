-- The quickstart for five seeds, to test the README's figures for chance. Each seed has its own world, data, judge and
-- policies; seed 1 is the quickstart. Takes ten minutes a seed on two cores; the figures of each seed are kept.
local compeer = require "compeer"
local new_method = require "lib.method"
local policies = require "lib.policies"

local rows = {}
for _, row in ipairs(policies) do
  if row[1] == "SFT" or row[1] == "format only" or row[1] == "UR" or row[1] == "URP" then table.insert(rows, row) end
end

local others = {} -- by the path of a policy's sampled evaluation: its greedy evaluation and its dialogues
local function metric_of(which, metric)
  return function(run) return others[run.path][which][metric] end
end

local replies = { "quality", "true reward", "quality, greedy", "grammatical, greedy" }
local dialogues = { "five rounds", "repetition" }

compeer.study {
  name = "quickstart",
  seeds = 5,
  kept = "docs/lab/data/quickstart",
  rows = rows,
  run = function(seed, row)
    local method = new_method(seed)
    local test = { name = row.name .. "-sampled", model = { path = method.run(row.run, row.changes).checkpoint } }
    local sampled = method.run("esc-world-tried", test)
    test.name, test.sampling, test.evaluate = row.name .. "-greedy", { greedy = true }, { group_size = 1 }
    others[sampled.path] = {
      greedy = method.run("esc-world-tried", test),
      dialogues = method.run("esc_eval", {
        name = row.name .. "-five-rounds",
        ["stages[0].supporter.path"] = test.model.path,
      }),
    }
    return sampled
  end,
  figures = {
    { "quality", "esc_world_truth.quality" }, { "true reward", "esc_world_truth.reward" },
    { "quality, greedy", metric_of("greedy", "esc_world_truth.quality") },
    { "grammatical, greedy", metric_of("greedy", "esc_world_truth.grammatical") },
    { "five rounds", metric_of("dialogues", "world_truth.quality") },
    { "repetition", metric_of("dialogues", "diversity.repetition"), better = "lower" },
  },
  contrasts = {
    { "UR", "SFT", replies }, { "UR", "format only", replies }, { "format only", "SFT", replies },
    { "URP", "UR", replies }, { "UR", "SFT", dialogues }, { "URP", "UR", dialogues },
  },
}
