-- The judges of the paper's Table 1 on esc_world, as rows of a study. PRM and ORM together can have 96 steps in the time
-- that UnifiReward takes for 200.
--
-- Judges of your own are further rows, measured on the same records; they learn nothing. `judge` has settings of the
-- stage reward_accuracy, a folder or a chat model (docs/judges.md):
--   { "large", judge = { chat = { plugin = "openai", url = "http://judge.example.com/v1", name = "large" } } },
--   { "mine", judge = { model = "models/my-judge", by = "likelihood", prompts = "prompts/en" } },
local judges = {
  { "prm + orm", views = { "prm", "orm" }, steps = 200, rewritten = "left_out" },
  { "equal compute", views = { "prm", "orm" }, steps = 96, rewritten = "left_out" },
  { "unifireward", views = { "judge" }, steps = 200, rewritten = "left_out" },
  { "-D", views = { "judge" }, steps = 400, rewritten = "replaced" },
  { "-R", views = { "judge" }, steps = 400, rewritten = "kept", records = "rewritten-plain" },
  { "-P", views = { "judge" }, steps = 400, rewritten = "kept" },
}

-- A row's judge in this world, trained if it is ours, as settings of a stage that asks it.
function judges.asked(method, row)
  local settings = { plugin = "reward_accuracy", reads = true, reads_replies = true }
  for key, value in pairs(row.judge or {}) do settings[key] = value end
  local trained = {}
  for i, view in ipairs(row.views or {}) do
    local dataset = { path = method.run(row.records or "rewritten").records, rewritten = row.rewritten }
    local sft = { steps = row.steps, batch = view == "prm" and 48 or 16 } -- three conversations of PRM are a record
    local named = { name = "table1 " .. row[1] .. " " .. view, dataset = dataset, sft = sft }
    trained[i] = method.run("esc-world-" .. view, named).checkpoint
  end
  settings.model = settings.model or trained[1]
  settings.outcome_model = settings.outcome_model or trained[2]
  return settings
end

for _, row in ipairs(judges) do row.judge, row.views = row.judge or {}, row.views or {} end
return judges
