-- The paper's method on dialogues between people, with people's replies and labels instead of chat models': one base
-- model, SmolLM2, with an adapter for each judge and policy, by experiments/real/*.toml. Each seed samples other rounds
-- of ESConv, or of another source, and trains again. All seeds are tested on the same dialogues.
--
--   local real = require("lib.real")(2)
--   local ur = real.run "real-ur"     -- the training run, after the runs that it needs
local new_method = require "lib.method"

local quick = { -- with --quick every run is launched, but learns next to nothing
  ["real-records"] = { data = { records = 24 } }, ["real-records-valid"] = { data = { records = 12 } },
  ["real-judge"] = { sft = { steps = 2 } }, ["real-sft"] = { sft = { steps = 8 } },
  ["real-ur"] = { grpo = { steps = 1 } }, ["real-urp"] = { grpo = { steps = 1 } },
  ["real-preferred"] = { data = { records = 3 } }, ["real-rated"] = { data = { records = 3 } },
  ["real-replies"] = { evaluate = { prompts = 2 } }, ["real-pairs"] = { data = { records = 2 } },
}
local mesc = { dataset = { plugin = "mesc", path = "corpora/mesc", unit = "dialogue" } } -- train.json, val.json
local sources = { mesc = { ["real-records"] = mesc, ["real-records-valid"] = mesc } }
local methods = {} -- by seed and source, shared by the rows of a study

return function(seed, source)
  local key = seed .. (source or "")
  methods[key] = methods[key] or new_method(seed, { name = source, changes = sources[source], quick = quick })
  return methods[key]
end
