-- Benefit and cost of redundancy-aware reweighting (Eq. 5-7), for policies that learn from table2.lua's judges: as in
-- the paper, with the settings of experiments/esc_world_urp.toml, and with each of these settings that is not in the
-- paper switched off. Three seeds, each with five-round dialogues with new seekers. The first three rows also play
-- SAGE's twenty rounds (as in table3.lua), where repetition lowers the seeker's emotion.
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

local function dialogues(scored, seed, row)
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
  run = function(seed, row) return dialogues("esc_eval", seed, row) end,
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
  run = function(seed, row) return dialogues("sage", seed, row) end,
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
