-- Table 1 of the paper on esc_world: the accuracy of judges that learn from the same annotated records; each seed has
-- its own world. Takes half an hour on two cores. docs/lab/judges.md describes the comparison; fig5_consistency.lua
-- measures contradictions. PRM and ORM together train for 96 steps in the time that UnifiReward takes for 200.
local compeer = require "compeer"
local new_method = require "lib.method"

-- Add rows for judges of your own; they are not trained, and are measured on the same records. `judge` has settings of
-- the stage reward_accuracy: a model folder or a chat model (docs/judges.md):
--   { "large", judge = { chat = { plugin = "openai", url = "http://judge.example.com/v1", name = "large" } } },
--   { "mine", judge = { model = "models/my-judge", score_by = "likelihood", prompts = "prompts/en" } },
local judges = {
  { "prm + orm", views = { "prm", "orm" }, steps = 200, rewritten = "left_out" },
  { "equal compute", views = { "prm", "orm" }, steps = 96, rewritten = "left_out" },
  { "unifireward", views = { "judge" }, steps = 200, rewritten = "left_out" },
  { "-D", views = { "judge" }, steps = 400, rewritten = "replaced" },
  { "-R", views = { "judge" }, steps = 400, rewritten = "kept", records = "rewritten-plain" },
  { "-P", views = { "judge" }, steps = 400, rewritten = "kept" },
}

for _, row in ipairs(judges) do row.judge, row.views = row.judge or {}, row.views or {} end

-- Returns the settings of the stage that measures a row's judge, after training the judge if the row has `views`.
local function accuracy_stage(method, row)
  local settings = { plugin = "reward_accuracy", reads = true, reads_replies = true }
  for key, value in pairs(row.judge) do settings[key] = value end
  local trained = {}
  for i, view in ipairs(row.views) do
    local dataset = { path = method.run(row.records or "rewritten").records, rewritten = row.rewritten }
    local sft = { steps = row.steps, batch = view == "prm" and 48 or 16 } -- PRM makes three conversations of a record
    local named = { name = "table1 " .. row[1] .. " " .. view, dataset = dataset, sft = sft }
    trained[i] = method.run("esc-world-" .. view, named).checkpoint
  end
  settings.model = settings.model or trained[1]
  settings.outcome_model = settings.outcome_model or trained[2]
  return settings
end

local accuracy = {
  "history.weighted_f1", "history.false_recall", "emotion.weighted_f1", "emotion.false_recall",
  "strategy.weighted_f1", "strategy.false_recall",
  "reply.weighted_f1", "reply.better_or_not", "reply.ranked_within_rounds",
}
local cost = {
  { "seconds a record", "reward_accuracy.seconds_a_record", better = "lower" },
  { "cost a record", "reward_accuracy.cost_a_record", better = "lower" },
}

compeer.study {
  name = "table1",
  seeds = 3,
  rows = judges,
  run = function(seed, row)
    local method = new_method(seed, { world = { seed = seed }, start = new_method(1) }) -- SFT of seed 1's world
    return method.run("table1-accuracy", { name = "table1 " .. row.name, stages = { accuracy_stage(method, row) } })
  end,
  figures = table.move(cost, 1, #cost, #accuracy + 1, { table.unpack(accuracy) }),
  contrasts = {
    { "unifireward", "prm + orm", accuracy }, { "unifireward", "equal compute", accuracy },
    { "-R", "-D", accuracy }, { "-P", "-D", accuracy },
  },
}
