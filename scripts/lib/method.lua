-- The paper's method in small on esc_world. Its experiments are TOML files, which read each other's output: the path
-- "results/esc-world-judge/checkpoints/last" is the model that experiments/esc_world_judge.toml trains. Here every seed
-- has its own world. There such a path stands for the output in this world, and what makes it is run first.
--
--   local method = require("lib.method")(2)
--   local ur = method.run "esc-world-ur"     -- experiments/esc_world_ur.toml for seed 2, after all that it reads
--
-- A variant may have a `name`, settings of its `world` and of each `player` (who writes or annotates), and another
-- method as `start`, whose SFT and reader are used in place of its own.
local compeer = require "compeer"

local of_the_start = { ["esc-world-cer-sft"] = true, ["esc-world-reader"] = true }
local quickly = { -- with --quick everything is made, and nothing learned
  sft = { sft = { steps = 20 }, checkpoint = { every = 0 } },
  grpo = { grpo = { steps = 4 } },
  evaluate = { evaluate = { prompts = 16 } },
  esc_world = { dataset = { train = 60, test = 6 } }, -- data runs that read this dataset
}

local function merge(values, more)
  for key, value in pairs(more or {}) do
    values[key] = value
  end
  return values
end

local usual = {} -- the methods without a variant, by seed: rows of a study share what is made

return function(seed, variant)
  if not variant and usual[seed] then return usual[seed] end
  local method = {}
  if not variant then usual[seed] = method end
  variant = variant or {}
  local made = {}
  local world = merge({ seed = seed - 1 }, variant.world)
  local player = variant.player or {}
  local ending = (seed == 1 and "" or "-" .. seed) .. (variant.name and "-" .. variant.name or "")

  -- A setting in this world. A path that differs from the TOML file's (`default`) is a script's, and stays.
  local function settled(value, default)
    if type(value) ~= "table" then
      local name, file = tostring(value):match "^results/([^/]+)(.*)$"
      if value ~= default or not name then return value end
      return method.run(name).path .. file
    end
    for key, each in pairs(value) do
      value[key] = settled(each, type(default) == "table" and default[key])
    end
    -- Players have a `world`, and so have stages that look up the truth. The dataset's settings are the world's.
    if value.world then merge(value.world, world) end
    if value.plugin == "esc_world" then merge(value, value.world and player or world) end
    if compeer.quick and value.most_unreadable then -- don't refuse a judge that learned nothing
      value.least_recall, value.most_unreadable = 0, 1
    end
    return value
  end

  -- The experiment of this name in this world, with changes. Their `name` may have any letters.
  function method.experiment(name, changes)
    local default = compeer.load("experiments/" .. name:gsub("-", "_") .. ".toml")
    local task = default:get "task"
    local named = merge({ name = name }, changes)
    named.name = named.name:gsub("[^%w._-]+", "-")
    local changed = default:with(named)
    local kind = task == "data" and default:get "dataset.plugin" or task
    if compeer.quick then changed = changed:with(quickly[kind] or {}) end
    if compeer.quick and task == "data" then changed = changed:with { data = { most_malformed = 1 } } end
    local here = settled(changed:resolve(), default:resolve())
    local inputs = { model = here.model, dataset = here.dataset, rewards = here.rewards, stages = here.stages }
    return changed:with(inputs):with { name = changed.name .. ending, seed = seed }
  end

  -- Its run. Without changes it is what other experiments read by this name.
  function method.run(name, changes)
    if changes then return method.experiment(name, changes):launch() end
    if variant.start and of_the_start[name] then return variant.start.run(name) end
    made[name] = made[name] or method.experiment(name):launch()
    return made[name]
  end

  return method
end
