-- What does redundancy-aware reweighting (Eq. 5-7) buy, and what does it cost? Policies of table2.lua's judges with
-- other alpha, beta, forced tau and ways to treat negative rewards, and with what might keep quality beside diversity:
-- whole completions compared, the supporter's turns alone as history, another divisor of advantages. Over three seeds:
-- five rounds with new seekers, and SAGE's twenty (as in table3.lua), where repetition has its price.
local compeer = require "compeer"
local policies = require "lib.policies"

local rows = {
  { "UR" },
  { "URP" },
  { "tau 0.5", reweighting = { tau = 0.5 } },
  { "tau 1", reweighting = { tau = 1.0 } },
  { "tau 2", reweighting = { tau = 2.0 } },
  { "alpha .05 beta 20", reweighting = { alpha = 0.05, beta = 20.0 } },
  { "signed", reweighting = { mode = "signed" } },
  { "on completions", reweighting = { on = "completion" } },
  { "own history", reweighting = { history = "assistant" } },
  { "divisor .75", grpo = { divisor = "fixed", divisor_value = 0.75 } }, -- a group's own is .78 on average
}

local function policy(method, row)
  if row.name == "UR" then return method.run "esc-world-ur" end
  if row.name == "URP" then return method.run "esc-world-urp" end
  return method.run("esc-world-urp", {
    name = "esc-world-urp-" .. row.name:gsub("%W+", "-"),
    reweighting = row.reweighting,
    grpo = row.grpo,
  })
end

local function played(scored, seed, row)
  local method = policies.method(seed)
  local name = (row.name == "UR" or row.name == "URP") and row.name or "urp-" .. row.name:gsub("%W+", "-")
  return method.run(scored, {
    name = scored .. "-" .. name,
    ["stages[0].supporter.path"] = policy(method, row).checkpoint,
  })
end

local replies = compeer.study {
  name = "five rounds",
  seeds = 3,
  rows = rows,
  run = function(seed, row) return played("esc_eval", seed, row) end,
  figures = {
    { "true quality", "world_truth.quality" },
    { "grammatical", "world_truth.grammatical" },
    { "Expression", "esc_eval.diversity" },
    { "Empathy", "esc_eval.empathic" },
    { "Overall", "esc_eval.overall" },
    { "distinct-2", "dialogue_distinct_2" },
    { "repetition", "diversity.repetition", better = "lower" },
  },
  against = "UR",
}

local sage = compeer.study {
  name = "SAGE",
  seeds = 3,
  rows = rows,
  run = function(seed, row) return played("sage", seed, row) end,
  figures = {
    { "mean emotion", "sage.mean_emotion" },
    { "success", "sage.success" },
    { "failure", "sage.failure", better = "lower" },
    { "true quality", "world_truth.quality" },
    { "repetition", "diversity.repetition", better = "lower" },
  },
  against = "UR",
}

compeer.report {
  title = "Redundancy-aware reweighting on esc_world",
  output = compeer.folder .. "/ablate_redundancy.html",
  runs = { replies.runs, sage.runs },
  frontier = {
    { x = "esc_eval.diversity", y = "esc_eval.empathic" },
    { x = "dialogue_distinct_2", y = "sage.mean_emotion" },
  },
}

-- What to take: the row whose replies are best, and the best of those that are clearly more varied than UR's.
local best, best_varied = { quality = -math.huge }, { quality = -math.huge }
for _, row in ipairs(rows) do
  if row[1] ~= "UR" then
    local quality = replies:difference(row[1], "UR", "true quality").mean
    local variety = replies:difference(row[1], "UR", "distinct-2")
    if quality > best.quality then best = { name = row[1], quality = quality } end
    if variety.clear and quality > best_varied.quality then best_varied = { name = row[1], quality = quality } end
  end
end
print("best replies, against UR: " .. (best.name or "none"))
print("best of those that are clearly more varied: " .. (best_varied.name or "none"))
