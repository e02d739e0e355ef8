-- Do two judges teach better without the completions on which they contradict each other? Compares POR with POR that
-- leaves out completions with right steps and a worse reply, or the other way round; at equal records and at equal
-- compute, next to UnifiReward.
local compeer = require "compeer"
local new_method = require "lib.method"

-- Returns POR as a single reward with two judges, which detects contradictions between them.
local function two_judges(method, row)
  local half = row.half and "-0.5" or ""
  local judges = {
    plugin = "unifireward",
    model = method.run("esc-world-prm" .. half).checkpoint,
    outcome_model = method.run("esc-world-orm" .. half).checkpoint,
    reader = method.run("esc-world-reader").checkpoint,
    reads_replies = true,
    score_by = "likelihood",
    broken_format = -5.0,
    contradictory = row.contradictory,
  }
  local truth = { plugin = "esc_world_truth", weight = 0.0 }
  return method.run("esc-world-ur", { name = row.run, rewards = { judges, truth } })
end

local study = compeer.study {
  name = "filtered",
  seeds = 3,
  rows = {
    { "SFT", run = "esc-world-cer-sft" },
    { "UR", run = "esc-world-ur" },
    { "POR", run = "esc-world-ur-por", contradictory = "kept" },
    { "POR filtered", run = "esc-world-ur-por-filtered", contradictory = "left_out" },
    { "POR equal compute", run = "esc-world-ur-por-half", contradictory = "kept", half = true },
    { "POR equal compute, filtered", run = "esc-world-ur-por-half-filtered", contradictory = "left_out", half = true },
  },
  run = function(seed, row)
    local method = new_method(seed)
    local policy = row.contradictory and two_judges(method, row) or method.run(row.run)
    return method.run("esc_eval", {
      name = "esc_eval-" .. row.name .. "-filter",
      ["stages[0].supporter.path"] = policy.checkpoint,
    })
  end,
  figures = {
    { "true quality", "world_truth.quality" },
    { "history right", "world_truth.history" },
    { "emotion right", "world_truth.emotion" },
    { "strategy right", "world_truth.strategy" },
    { "Overall", "esc_eval.overall" },
    { "average", "esc_eval.average" },
  },
  contrasts = {
    { "SFT", "POR" },
    { "UR", "POR" },
    { "POR filtered", "POR" },
    { "UR", "POR equal compute" },
    { "POR equal compute, filtered", "POR equal compute" },
  },
}
compeer.report {
  title = "POR without contradictions",
  output = compeer.folder .. "/por_with_consistency_filter.html",
  runs = study.runs,
}
