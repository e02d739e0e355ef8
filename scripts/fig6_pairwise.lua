-- Figure 6 of the paper on esc_world: replies of several policies to the same dialogues, compared two by two by a judge who is
-- shown them in both orders, as people would be on the page of `compeer data annotate`. The policies are table2.lua's.
local compeer = require "compeer"
local policies = require "lib.policies"
local seeds, contexts = compeer.quick and 1 or 3, compeer.quick and 8 or 200

local runs, names = {}, {}
for seed = 1, seeds do
  local world = { seed = seed - 1, rounds = 3 }
  local stages = { { plugin = "sample", rounds = 1 } }
  for i, policy in ipairs((policies(seed))) do
    names[i] = policy[1]
    stages[#stages + 1] = { plugin = "answer", label = "answer-" .. i, name = policy[1],
      supporter = { plugin = "local", path = policy[2].checkpoint } }
  end
  stages[#stages + 1] = { plugin = "pairwise", against = "URP", judge = { plugin = "esc_world", world = world } }
  runs[seed] = compeer.experiment { name = "pairwise-" .. seed, task = "data", seed = seed, ranks = 2, stages = stages,
    dataset = { plugin = "esc_world", unit = "dialogue", seed = seed - 1, rounds = 3, test = contexts }, data = { splits = { "test" } } }:launch()
end

-- Nothing of a model that never said anything, and so was not compared.
local function value_of(run, path)
  local there, value = pcall(function() return run[path] end)
  return there and value or 0 / 0
end

local stage = ("%02d-pairwise/"):format(#names + 2)
print(("%-32s%10s%10s%10s%12s"):format("", "win", "tie", "lose", "strength"))
for _, name in ipairs(names) do
  local line = ("%-32s"):format(name == "URP" and "URP" or "URP against " .. name)
  for _, figure in ipairs { "win", "tie", "lose", "strength" } do
    local values, path = {}, figure == "strength" and "models/" .. name .. "/strength" or ("pairs/URP vs %s/%s"):format(name, figure)
    for seed, run in ipairs(runs) do
      if name ~= "URP" or figure == "strength" then values[seed] = value_of(run, stage .. path .. "/value") end
    end
    local found = compeer.interval(values)
    line = line .. (found.n == 0 and ("%13s"):format "-" or ("%7.2f %5s"):format(found.mean, found.half and ("±%.2f"):format(found.half) or ""))
  end
  print(line)
end
compeer.report { title = "Pairwise on esc_world", output = compeer.folder .. "/fig6.html", runs = runs }
