-- The paper's method in small on esc_world. Its experiments are TOML files, and what one of them reads is named there
-- as what another has left: "results/esc-world-judge/checkpoints/last". Here every seed has a world of its own, and
-- such a name stands for the run in that world, which is made if it isn't there.
--
--   local method = require("lib.method")(2)
--   local ur = method.run "esc-world-ur"     -- experiments/esc_world_ur.toml in world 2, and all that it reads
--
-- A variant may have a `name`, settings of the world (`ambiguity`) and of those who write and annotate (`errors`,
-- `annotator_noise`), another `world`, another number of `grpo_steps`, and runs to be taken as `made`.
local compeer = require "compeer"

local of_all_seeds = { ["esc-world-base"] = true, ["esc-world-sft"] = true }
local quickly = { -- with --quick all is made, and nothing learned
  ["esc_world train"] = { dataset = { train = 60 } },
  ["esc_world test"] = { dataset = { test = 6 } },
  sft = { sft = { steps = 20 }, checkpoint = { every = 0 } },
  grpo = { grpo = { steps = 4 } },
  evaluate = { evaluate = { prompts = 16 } },
  ["esc-world-ur"] = { ["rewards[0].least_recall"] = 0 },
  ["esc-world-urp"] = { ["rewards[0].least_recall"] = 0 },
}

local function merge(values, more)
  for key, value in pairs(more or {}) do
    values[key] = value
  end
  return values
end

return function(seed, variant)
  variant = variant or {}
  local method = {}
  local made = merge({}, variant.made)
  local world = { seed = variant.world or seed - 1, ambiguity = variant.ambiguity }
  local player = { errors = variant.errors, annotator_noise = variant.annotator_noise }
  local ending = (seed == 1 and "" or "-" .. seed) .. (variant.name and "-" .. variant.name or "")

  -- A setting in this world. `default` is what the TOML file says: only there a path stands for a run.
  local function settled(value, default)
    if type(value) == "string" and value == default then
      local name, file = value:match "^results/([^/]+)(.*)$"
      return name and method.run(name).path .. file or value
    end
    if type(value) ~= "table" then return value end
    for key, each in pairs(value) do
      value[key] = settled(each, type(default) == "table" and default[key])
    end
    if value.world then -- a player, or a stage that looks the truth up
      merge(value.world, world)
      return merge(value, value.plugin == "esc_world" and player)
    end
    return merge(value, value.plugin == "esc_world" and world) -- the data set
  end

  -- The experiment of this name in this world, with changes. Its new name may have any letters.
  function method.experiment(name, changes)
    local default = compeer.load("experiments/" .. name:gsub("-", "_") .. ".toml")
    local task = default:get "task"
    local with = merge({ name = name, grpo = task == "grpo" and { steps = variant.grpo_steps } or nil }, changes)
    with.name = with.name:gsub("[^%w._-]+", "-")
    local changed = default:with(with)
    local kind = task == "data" and default:get "dataset.plugin" .. " " .. default:get "data.splits"[1] or task
    if compeer.quick then changed = changed:with(quickly[kind] or {}):with(quickly[name] or {}) end
    local own, usual = changed:resolve(), default:resolve()
    if of_all_seeds[name] then return changed:with { model = settled(own.model, usual.model) } end
    return changed:with {
      name = changed.name .. ending,
      seed = seed,
      model = settled(own.model, usual.model),
      dataset = settled(own.dataset, usual.dataset),
      rewards = settled(own.rewards, usual.rewards),
      stages = settled(own.stages, usual.stages),
    }
  end

  -- Its run. Without changes it is made once, and is what others read by this name.
  function method.run(name, changes)
    if changes then return method.experiment(name, changes):launch() end
    made[name] = made[name] or method.experiment(name):launch()
    return made[name]
  end

  return method
end
