-- The paper's method at small scale, as experiments that refer to each other's runs by name. Each seed has its own runs
-- and its own world (esc_world); the runs that an experiment refers to are launched first, for the same seed.
--
--   local method = require("lib.method")(2)
--   local ur = method.run "esc-world-ur"     -- experiments/esc_world_ur.toml for seed 2, after the runs that it reads
--
-- A variant may have a `name`, settings of its `world` and of each `player` (the chat models that write and annotate),
-- `changes` of experiments by name, and a method as `start`: its SFT and reader are used instead of the variant's own.
local compeer = require "compeer"

local quick = { -- with --quick every run is launched, but learns nothing
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

local usual = {} -- [seed]: the method without a variant, shared by the rows of a study

return function(seed, variant)
  if not variant and usual[seed] then return usual[seed] end
  local method, runs = {}, {}
  if not variant then usual[seed] = method end
  variant = variant or {}
  local world, player = merge({ seed = seed - 1 }, variant.world), variant.player or {}
  local ending = (seed == 1 and "" or "-" .. seed) .. (variant.name and "-" .. variant.name or "")

  -- Returns the changes that set this world. Players and stages have a table `world`; a dataset has its settings.
  local function world_changes(value, path, changes)
    if type(value) ~= "table" then return changes end
    local function set(values, at)
      for key, new in pairs(values) do changes[path .. at .. key] = new end
    end
    for key, each in pairs(value) do
      local name = type(key) == "number" and ("[%d]"):format(key - 1) or path ~= "" and "." .. key or key
      world_changes(each, path .. name, changes)
    end
    if value.world then set(world, ".world.") end
    if value.plugin == "esc_world" then set(value.world and player or world, ".") end
    -- with --quick accept a judge that learned nothing
    if compeer.quick and value.min_recall then set({ min_recall = 0, max_unreadable = 1 }, ".") end
    return changes
  end

  -- Returns the experiment `name` in this world, with changes. The `name` in changes may contain any characters.
  function method.experiment(name, changes)
    local file = name:gsub("^real%-", "real/"):gsub("-", "_") -- real-judge: experiments/real/judge.toml
    local default = compeer.load("experiments/" .. file .. ".toml")
    local kind = default:get "task" == "data" and default:get "dataset.plugin" or default:get "task"
    local named = merge({ name = name, seed = seed }, changes)
    named.name = named.name:gsub("[^%w._-]+", "-") .. ending
    local changed = default:with(variant.changes and variant.changes[name] or {}):with(named)
    if compeer.quick then changed = changed:with((variant.quick or quick)[variant.quick and name or kind] or {}) end
    local here, inputs, settings = world_changes(changed:resolve(), "", {}), changed:inputs(), {}
    for setting in pairs(inputs) do table.insert(settings, setting) end
    table.sort(settings)
    for _, setting in ipairs(settings) do here[setting] = method.run(inputs[setting]).output end
    return changed:with(here)
  end

  -- Launches the experiment and returns its run. The run without changes is the one that other experiments refer to.
  function method.run(name, changes)
    if changes then return method.experiment(name, changes):launch() end
    local from_start = name == "esc-world-cer-sft" or name == "esc-world-reader"
    if variant.start and from_start then return variant.start.run(name) end
    runs[name] = runs[name] or method.experiment(name):launch()
    return runs[name]
  end

  return method
end
