-- The paper's method on dialogues between people, whose replies and labels stand in place of chat models': one base,
-- SmolLM2, with an adapter for each judge and policy, by experiments/real/*.toml. Every seed draws other rounds of
-- ESConv, or of another source, and trains anew. The dialogues that test are always the same.
--
--   local real = require("lib.real")(2)
--   local ur = real.run "real-ur"     -- the run that trains it, after all that it needs
local new_method = require "lib.method"

local quickly = { -- with --quick everything is made, and hardly anything learned
  ["real-records"] = { data = { records = 24 } }, ["real-records-valid"] = { data = { records = 12 } },
  ["real-judge"] = { sft = { steps = 2 } }, ["real-sft"] = { sft = { steps = 8 } },
  ["real-ur"] = { grpo = { steps = 1 } }, ["real-urp"] = { grpo = { steps = 1 } },
  ["real-preferred"] = { data = { records = 3 } }, ["real-rated"] = { data = { records = 3 } },
  ["real-replies"] = { evaluate = { prompts = 2 } }, ["real-pairs"] = { data = { records = 2 } },
}
local mesc = { dataset = { plugin = "mesc", path = "corpora/mesc", unit = "dialogue" } } -- train.json, val.json
local sources = { mesc = { ["real-records"] = mesc, ["real-records-valid"] = mesc } }
local methods = {} -- by seed and source: rows share what is made

return function(seed, source)
  local key = seed .. (source or "")
  methods[key] = methods[key] or new_method(seed, { name = source, changes = sources[source], quickly = quickly })
  return methods[key]
end
