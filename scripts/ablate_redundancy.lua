-- What does redundancy-aware reweighting (Eq. 5-7) buy, and what does it cost? Policies of table2.lua's judges with other alpha,
-- beta, forced tau and ways to treat negative rewards, and with what might keep quality beside diversity: whole completions
-- compared, the supporter's turns alone as history, another divisor of advantages. Over three seeds, five rounds with new seekers, and
-- SAGE's twenty (as in table3.lua), where repetition has its price.
local compeer = require "compeer"
local policies = require "lib.policies"
local seeds = compeer.quick and 1 or 3

local function reweighted(settings) return { reweighting = settings } end
local variants = {
  { "UR", nil, "ur" }, { "URP", nil, "urp" },
  { "tau 0.5", reweighted { tau = 0.5 } }, { "tau 1", reweighted { tau = 1.0 } }, { "tau 2", reweighted { tau = 2.0 } },
  { "alpha .05 beta 20", reweighted { alpha = 0.05, beta = 20.0 } }, { "signed", reweighted { mode = "signed" } },
  { "on completions", reweighted { on = "completion" } }, { "own history", reweighted { history = "assistant" } },
  { "divisor .75", { grpo = { divisor = "fixed", divisor_value = 0.75 } } }, -- a group's own deviation is .78 on the average
}

local rows, sage = require("lib.rows")(), require("lib.rows")()
for seed = 1, seeds do
  local _, method, made = policies(seed, true)
  for _, variant in ipairs(variants) do
    local name = variant[3] or "urp_" .. variant[1]:gsub("%W+", "-")
    local model = { plugin = "local", path = made.taught(name, variant[2]).checkpoint }
    local played = variant[3] and variant[1] or name:gsub("_", "-") -- UR and URP are table2.lua's and table3.lua's
    rows.add(variant[1], method.played("esc_eval", played, model))
    sage.add(variant[1], method.played("sage", played, model, { rounds = 20, simulator = { emotion_rest = 0.2 } }))
  end
end

local quality, diversity = "03-world_truth/quality/value", "02-diversity/dialogue_distinct_2/value"
rows.show({
  { "true quality", quality, better = 1 }, { "grammatical", "03-world_truth/grammatical/value", better = 1 },
  { "Expression", "01-esc_eval/diversity/value", better = 1 }, { "Empathy", "01-esc_eval/empathic/value", better = 1 },
  { "Overall", "01-esc_eval/overall/value", better = 1 }, { "distinct-2", diversity, better = 1 },
  { "repetition", "02-diversity/repetition/value", better = -1 } }, "UR")
print("\nSAGE:")
sage.show({
  { "mean emotion", "01-sage/mean_emotion/value", better = 1 }, { "success", "01-sage/success/value", better = 1 },
  { "failure", "01-sage/failure/value", better = -1 }, { "true quality", quality, better = 1 },
  { "repetition", "02-diversity/repetition/value", better = -1 } }, "UR")

-- What to take: the one whose replies are best, and the best of those that are clearly more varied than UR.
local function best(of, wanted)
  local found = { cost = -math.huge, text = "none" }
  for i = 2, #rows do
    local name = rows[i].name
    local gain, cost = rows.difference(name, "UR", diversity), rows.difference(name, "UR", quality)
    if wanted(gain) and cost.mean > found.cost then
      found = { cost = cost.mean, text = ("%s, true quality %s, distinct-2 %s"):format(name, cost, gain) }
    end
  end
  print(of .. found.text)
end
best("\nbest replies, against UR: ", function() return true end)
best("best of those that are clearly more varied: ", function(gain) return gain.clear end)
compeer.report { title = "Redundancy-aware reweighting on esc_world", output = compeer.folder .. "/ablate_redundancy.html", runs = { rows.runs, sage.runs },
  frontier = { { x = "01-esc_eval/diversity/value", y = "01-esc_eval/empathic/value" },
    { x = "02-diversity/dialogue_distinct_2/value", y = "01-sage/mean_emotion/value" } } }
