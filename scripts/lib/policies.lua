-- The policies of the paper's Tables 2 and 3 on esc_world, as rows of a study. POR stands at equal records (each of
-- its two judges learns from as many as UR's one judge, as in the paper) and at equal compute (half as many for each).
local new_method = require "lib.method"

local policies = {
  { "base", run = "esc-world-base" },   -- speaks the world's language, and was never taught to support
  { "writers", run = "esc-world-sft" }, -- imitates the writers
  { "SFT", run = "esc-world-cer-sft" },
  { "POR", run = "esc-world-por" },
  { "POR equal compute", run = "esc-world-por-0.5" },
  { "UR", run = "esc-world-ur" },
  { "URP", run = "esc-world-urp" },
  { "URP signed", run = "esc-world-urp-signed" },
}

-- These studies train them like this. Each seed has its own world.
function policies.method(seed)
  return new_method(seed, { name = "study", grpo = { steps = 100 } })
end

return policies
