-- The quickstart over five seeds: whether what the README says of it is more than chance. Every seed has a world, data,
-- judge and policies of its own, and seed 1 is the quickstart. Ten minutes a seed on two cores; figures are kept.
local compeer = require "compeer"
local new_method = require "lib.method"
local policies = require "lib.policies"

local rows = {}
for _, row in ipairs(policies) do
  if row[1] == "SFT" or row[1] == "format only" or row[1] == "UR" or row[1] == "URP" then table.insert(rows, row) end
end

local beside = {} -- by the path of an evaluation: the other two of its policy
local function of(which, metric)
  return function(run) return beside[run.path][which][metric] end
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
    local tested = { name = row.name .. "-sampled", model = { path = method.run(row.run, row.changes).checkpoint } }
    local sampled = method.run("esc-world-tried", tested)
    tested.name, tested.sampling, tested.evaluate = row.name .. "-greedy", { greedy = true }, { group_size = 1 }
    beside[sampled.path] = {
      greedy = method.run("esc-world-tried", tested),
      dialogues = method.run("esc_eval", {
        name = row.name .. "-five-rounds",
        ["stages[0].supporter.path"] = tested.model.path,
      }),
    }
    return sampled
  end,
  figures = {
    { "quality", "esc_world_truth.quality" }, { "true reward", "esc_world_truth.reward" },
    { "quality, greedy", of("greedy", "esc_world_truth.quality") },
    { "grammatical, greedy", of("greedy", "esc_world_truth.grammatical") },
    { "five rounds", of("dialogues", "world_truth.quality") },
    { "repetition", of("dialogues", "diversity.repetition"), better = "lower" },
  },
  contrasts = {
    { "UR", "SFT", replies }, { "UR", "format only", replies }, { "format only", "SFT", replies },
    { "URP", "UR", replies }, { "UR", "SFT", dialogues }, { "URP", "UR", dialogues },
  },
}
