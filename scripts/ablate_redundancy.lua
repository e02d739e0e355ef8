-- What does redundancy-aware reweighting (Eq. 5-7) buy, and what does it cost? Policies of table2.lua's judges with other alpha,
-- beta, forced tau and ways to treat negative rewards, and with what might keep quality beside diversity: whole completions
-- compared, the supporter's turns alone as history, another divisor of advantages. Over three seeds, five rounds with new seekers.
local compeer = require "compeer"
local figures, policies = require "lib.figures", require "lib.policies"
local over_seeds, values = require "lib.over_seeds", require "lib.values"
local seeds = compeer.quick and 1 or 3

local function reweighted(settings) return { reweighting = settings } end
local variants = {
  { "UR", nil, "ur" }, { "URP", nil, "urp" },
  { "tau 0.5", reweighted { tau = 0.5 } }, { "tau 1", reweighted { tau = 1.0 } }, { "tau 2", reweighted { tau = 2.0 } },
  { "alpha .05 beta 20", reweighted { alpha = 0.05, beta = 20.0 } }, { "signed", reweighted { mode = "signed" } },
  { "on completions", reweighted { on = "completion" } }, { "own history", reweighted { history = "assistant" } },
  { "divisor .75", { grpo = { divisor = "fixed", divisor_value = 0.75 } } }, -- a group's own deviation is .78 on the average
}

local rows, runs, add = require("lib.rows")()
for seed = 1, seeds do
  local _, method, made = policies(seed, true)
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

-- What to take: the one whose replies are best, and the best of those that are clearly more varied than UR.
local function best(of, wanted)
  local found = { cost = -math.huge, text = "none" }
  for i = 2, #rows do
    local gain, half = over_seeds(values(rows[i], diversity, rows[1]))
    local cost, of_cost = over_seeds(values(rows[i], quality, rows[1]))
    if wanted(gain, half) and cost > found.cost then
      found = { cost = cost, text = ("%s, true quality %+.3f ±%.3f, distinct-2 %+.3f ±%.3f"):format(rows[i][1], cost, of_cost, gain, half) }
    end
  end
  print(of .. found.text)
end
best("\nbest replies, against UR: ", function() return true end)
best("best of those that are clearly more varied: ", function(gain, half) return gain > half end)
compeer.report { title = "Redundancy-aware reweighting on esc_world", output = compeer.folder .. "/ablate_redundancy.html", runs = runs,
  frontier = { x = "01-esc_eval/diversity/value", y = "01-esc_eval/empathic/value" } }
