-- Figure 6 of the paper on esc_world: a judge compares replies of several policies to the same dialogues, two at a time
-- and in both orders, as people do on the page of `compeer data annotate`. The policies are table2.lua's.
local compeer = require "compeer"
local new_method = require "lib.method"
local policies = require "lib.policies"

-- Returns the run in which all policies of a seed reply and are compared with URP.
local function comparison(seed)
  local method = new_method(seed)
  local stages = { { plugin = "sample", rounds = 1 } }
  for i, row in ipairs(policies) do
    local supporter = { plugin = "local", path = method.run(row.run, row.changes).checkpoint }
    table.insert(stages, { plugin = "answer", label = "answer-" .. i, name = row[1], supporter = supporter })
  end
  local judge = { plugin = "esc_world", world = { rounds = 3 } }
  table.insert(stages, { plugin = "pairwise", against = "URP", judge = judge })
  return method.run("pairwise", { stages = stages })
end

local by_seed = {}
local study = compeer.study {
  name = "URP against",
  seeds = 3,
  rows = policies,
  run = function(seed, row)
    by_seed[seed] = by_seed[seed] or comparison(seed)
    return by_seed[seed]:stage "pairwise"
  end,
  figures = { -- missing for a policy whose replies are all empty, because it is not compared
    { "URP wins", "pairs.URP vs {row}.win" },
    { "tie", "pairs.URP vs {row}.tie", better = "neither" },
    { "URP loses", "pairs.URP vs {row}.lose", better = "lower" },
    { "strength", "models.{row}.strength" },
  },
}
compeer.report { title = "Pairwise on esc_world", output = compeer.folder .. "/fig6.html", runs = study.runs }
