-- Table 1 of the paper on esc_world: what judges learn from the same annotated records, each seed in a world of its
-- own. Half an hour on two cores; docs/lab/judges.md says what is compared. Contradictions: fig5_consistency.lua.
local compeer = require "compeer"
local new_method = require "lib.method"

compeer.study {
  name = "table1",
  seeds = 3,
  rows = { -- PRM and ORM together can have 96 steps in the time that UnifiReward takes for 200
    { "prm + orm", judges = { "prm", "orm" }, steps = 200, rewritten = "left_out" },
    { "equal compute", judges = { "prm", "orm" }, steps = 96, rewritten = "left_out" },
    { "unifireward", judges = { "judge" }, steps = 200, rewritten = "left_out" },
    { "-D", judges = { "judge" }, steps = 400, rewritten = "replaced" },
    { "-R", judges = { "judge" }, steps = 400, rewritten = "kept", records = "rewritten-plain" },
    { "-P", judges = { "judge" }, steps = 400, rewritten = "kept" },
  },
  run = function(seed, row)
    local method = new_method(seed, { world = { seed = seed }, start = new_method(1) }) -- SFT of another world
    local judges = {}
    for i, view in ipairs(row.judges) do
      local name = "table1 " .. row.name .. " " .. view
      local dataset = { path = method.run(row.records or "rewritten").records, rewritten = row.rewritten }
      local sft = { steps = row.steps, batch = view == "prm" and 48 or 16 } -- three conversations of PRM are a record
      judges[i] = method.run("esc-world-" .. view, { name = name, dataset = dataset, sft = sft }).checkpoint
    end
    local measured = { model = judges[1], outcome_model = judges[2] }
    return method.run("table1-accuracy", { name = "table1 " .. row.name, ["stages[0]"] = measured })
  end,
  figures = {
    "history.weighted_f1", "history.false_recall", "emotion.weighted_f1", "emotion.false_recall",
    "strategy.weighted_f1", "strategy.false_recall",
    "reply.weighted_f1", "reply.better_or_not", "reply.ranked_within_rounds",
  },
  contrasts = { { "unifireward", "prm + orm" }, { "unifireward", "equal compute" }, { "-R", "-D" }, { "-P", "-D" } },
}
