-- What does redundancy-aware reweighting (Eq. 5-7) buy, and what does it cost? Policies of table2.lua's judges: as in
-- the paper, as experiments/esc_world_urp.toml has it, and that without each of the settings that are not in the paper.
-- Over three seeds: five rounds with new seekers; of the first three also SAGE's twenty (as in table3.lua), where
-- repetition has its price.
local compeer = require "compeer"
local new_method = require "lib.method"

local rows = {
  { "UR", run = "esc-world-ur" },
  { "URP", run = "esc-world-urp" },
  { "as in the paper", run = "esc-world-urp-paper" },
  { "tau 0.25", reweighting = { tau = 0.25 } },
  { "tau 1", reweighting = { tau = 1.0 } },
  { "echo counts", reweighting = { ignore_user_words = false } },
  { "slips are paid", reweighting = { min_token_probability = 0.0 } },
  { "divisor of the group", grpo = { divisor = "std" } },
  { "divisor fixed", grpo = { divisor = "fixed", divisor_value = 0.75 } },
  { "signed", reweighting = { mode = "signed" } },
  { "on completions", reweighting = { on = "completion" } },
  { "own history", reweighting = { history = "assistant" } },
}

local function policy(method, row)
  if row.run then return method.run(row.run) end
  local name = "esc-world-urp-" .. row.name
  return method.run("esc-world-urp", { name = name, reweighting = row.reweighting, grpo = row.grpo })
end

local function played(scored, seed, row)
  local method = new_method(seed)
  return method.run(scored, {
    name = scored .. "-urp-" .. row.name,
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
  rows = { rows[1], rows[2], rows[3] },
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
  frontier = { x = "esc_eval.diversity", y = "esc_eval.empathic" },
}
