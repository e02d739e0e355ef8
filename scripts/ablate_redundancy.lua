-- What does redundancy-aware reweighting (Eq. 5-7) buy, and what does it cost? Policies of table2.lua's judges with other alpha,
-- beta, forced tau and ways to treat negative rewards, and with what might keep quality beside diversity: whole completions
-- compared, the supporter's turns alone as history, another divisor of advantages. Over three seeds, five rounds with new seekers.
local compeer = require "compeer"
local figures, policies = require "lib.figures", require "lib.policies"
local over_seeds, values = require "lib.over_seeds", require "lib.values"
local seeds = compeer.quick and 1 or 3

local function reweighted(settings) return { reweighting = settings } end
local fixed = { grpo = { divisor = "fixed", divisor_value = 1.5 } }
local variants = {
  { "UR", nil, "ur" }, { "URP (tau .97)", nil, "urp" },
  { "tau 0.5", reweighted { tau = 0.5 } }, { "tau 1", reweighted { tau = 1.0 } }, { "tau 2", reweighted { tau = 2.0 } },
  { "alpha .05 beta 20", reweighted { alpha = 0.05, beta = 20.0 } },
  { "signed", reweighted { mode = "signed" } }, { "signed, tau 2", reweighted { mode = "signed", tau = 2.0 } },
  { "on completions", reweighted { on = "completion" } }, { "own history", reweighted { history = "assistant" } },
  { "fixed divisor", fixed }, { "fixed divisor, tau 2", { grpo = fixed.grpo, reweighting = { tau = 2.0 } } },
  { "UR, fixed divisor", fixed, "ur_fixed-divisor" }, -- without reweighting: what the divisor does by itself
}

local rows, runs, add = require("lib.rows")()
for seed = 1, seeds do
  local _, method, made = policies(seed)
  for i, variant in ipairs(variants) do
    local name = variant[3] or "urp_" .. variant[1]:gsub("%W+", "-")
    local policy = made.taught(name, variant[2])
    add(i, variant[1], method.played("esc_eval", name:gsub("_", "-"), { plugin = "local", path = policy.checkpoint }))
  end
end

local quality, diversity = "03-world_truth/quality/value", "02-diversity/dialogue_distinct_2/value"
figures(rows, {
  { "true quality", quality, better = 1 }, { "grammatical", "03-world_truth/grammatical/value", better = 1 },
  { "Expression", "01-esc_eval/diversity/value", better = 1 }, { "Empathy", "01-esc_eval/empathic/value", better = 1 },
  { "Overall", "01-esc_eval/overall/value", better = 1 }, { "distinct-2", diversity, better = 1 },
  { "repetition", "02-diversity/repetition/value", better = -1 } }, "UR")

-- What to take: of those that are clearly more varied than UR, the one whose replies are best.
local ur, best = rows[1], nil
for i = 2, #rows do
  local gain, half = over_seeds(values(rows[i], diversity, ur))
  local cost, of_cost = over_seeds(values(rows[i], quality, ur))
  if gain > half and (not best or cost > best.cost) then best = { name = rows[i][1], gain = gain, half = half, cost = cost, of_cost = of_cost } end
end
print(best and ("\nclearly more varied than UR and best among those: %s, distinct-2 %+.3f ±%.3f, true quality %+.3f ±%.3f"):format(best.name,
  best.gain, best.half, best.cost, best.of_cost) or "\nnothing is clearly more varied than UR")
compeer.report { title = "Redundancy-aware reweighting on esc_world", output = compeer.folder .. "/ablate_redundancy.html", runs = runs,
  frontier = { x = "01-esc_eval/diversity", y = "01-esc_eval/empathic" } }
