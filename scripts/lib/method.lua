-- The paper's method in small, by experiments that name each other's runs. Here every seed has runs and a world
-- (esc_world) of its own: what an experiment names is run first, for the same seed.
--
--   local method = require("lib.method")(2)
--   local ur = method.run "esc-world-ur"     -- experiments/esc_world_ur.toml for seed 2, after all that it reads
--
-- A variant may have a `name`, settings of its `world` and of each `player` (who writes or annotates), `changes` of
-- experiments by name, and another method as `start`, whose SFT and reader are used in place of its own.
local compeer = require "compeer"

local quickly = { -- with --quick everything is made, and nothing learned
  sft = { sft = { steps = 20 }, checkpoint = { every = 0 } },
  grpo = { grpo = { steps = 4 } },
  evaluate = { evaluate = { prompts = 16 } },
  esc_world = { dataset = { train = 60, test = 6 }, data = { max_malformed = 1 } }, -- data runs that read this dataset
  cer = { data = { max_malformed = 1 } },
}

local function merge(values, more)
  for key, value in pairs(more or {}) do values[key] = value end
  return values
end

local usual = {} -- the methods without a variant, by seed: rows of a study share what is made

return function(seed, variant)
  if not variant and usual[seed] then return usual[seed] end
  local method, made = {}, {}
  if not variant then usual[seed] = method end
  variant = variant or {}
  local world, player = merge({ seed = seed - 1 }, variant.world), variant.player or {}
  local ending = (seed == 1 and "" or "-" .. seed) .. (variant.name and "-" .. variant.name or "")

  -- Settings of this world, by path. Players and stages that look up the truth have a `world`; a dataset is one.
  local function settled(value, path, changes)
    if type(value) ~= "table" then return changes end
    local function set(values, at)
      for key, new in pairs(values) do changes[path .. at .. key] = new end
    end
    for key, each in pairs(value) do
      local name = type(key) == "number" and ("[%d]"):format(key - 1) or path ~= "" and "." .. key or key
      settled(each, path .. name, changes)
    end
    if value.world then set(world, ".world.") end
    if value.plugin == "esc_world" then set(value.world and player or world, ".") end
    -- with --quick don't refuse a judge that learned nothing
    if compeer.quick and value.min_recall then set({ min_recall = 0, max_unreadable = 1 }, ".") end
    return changes
  end

  -- The experiment of this name in this world, with changes, whose `name` may have any letters.
  function method.experiment(name, changes)
    local file = name:gsub("^real%-", "real/"):gsub("-", "_") -- real-judge: experiments/real/judge.toml
    local default = compeer.load("experiments/" .. file .. ".toml")
    local kind = default:get "task" == "data" and default:get "dataset.plugin" or default:get "task"
    local named = merge({ name = name, seed = seed }, changes)
    named.name = named.name:gsub("[^%w._-]+", "-") .. ending
    local changed = default:with(variant.changes and variant.changes[name] or {}):with(named)
    if compeer.quick then changed = changed:with((variant.quickly or quickly)[variant.quickly and name or kind] or {}) end
    local here, inputs, settings = settled(changed:resolve(), "", {}), changed:inputs(), {}
    for setting in pairs(inputs) do table.insert(settings, setting) end
    table.sort(settings)
    for _, setting in ipairs(settings) do here[setting] = method.run(inputs[setting]).output end
    return changed:with(here)
  end

  -- Its run. Without changes it is what other experiments read by this name.
  function method.run(name, changes)
    if changes then return method.experiment(name, changes):launch() end
    local of_the_start = name == "esc-world-cer-sft" or name == "esc-world-reader"
    if variant.start and of_the_start then return variant.start.run(name) end
    made[name] = made[name] or method.experiment(name):launch()
    return made[name]
  end

  return method
end
