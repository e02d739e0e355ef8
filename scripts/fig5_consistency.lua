-- Figure 5 of the paper on esc_world: how often what a judge says of the steps and of the reply contradicts itself, one judge
-- for both (UnifiReward) against one of steps and one of replies (PRM and ORM), by the world's truth and by the annotators'
-- labels. Over the three seeds of table2.lua, whose judges they are. What a round costs: `compeer bench judging`.
local compeer = require "compeer"
local figures, policies = require "lib.figures", require "lib.policies"
local seeds = compeer.quick and 1 or 3

local runs = {}
for seed = 1, seeds do
  local _, method, made = policies(seed, true)
  local sft, cer = made.sft, made.cer
  local prm, orm = method.taught_judge("prm", sft, cer, made.budget), method.taught_judge("orm", sft, cer, made.budget)
  local truth = { plugin = "esc_world", world = { rounds = 3, seed = seed - 1 } }
  local function stage(label, model, outcome_model, chat)
    return { plugin = "consistency", label = label, reads = true, chat = chat, model = model.checkpoint,
      outcome_model = outcome_model and outcome_model.checkpoint }
  end
  runs[seed] = method.measured("consistency", method.judge_data(sft, cer), {
    stage("two-truth", prm, orm, truth), stage("one-truth", made.judge, nil, truth),
    stage("two-labels", prm, orm), stage("one-labels", made.judge) })
end

local function compared(by, two, one, shares)
  local rows, columns = { { "PRM and ORM", {} }, { "UnifiReward", {} } }, {}
  for i, share in ipairs(shares) do columns[i] = { share, share, better = -1 } end
  for seed, run in ipairs(runs) do
    for i, stage in ipairs { two, one } do
      local found = {}
      for _, share in ipairs(shares) do found[share] = run[("%s/%s/value"):format(stage, share)] end
      rows[i][2][seed] = found
    end
  end
  print("by the " .. by .. ":")
  figures(rows, columns, "PRM and ORM")
end
compared("truth", "01-two-truth", "02-one-truth", { "contradictory", "apart" })
compared("labels", "03-two-labels", "04-one-labels", { "contradictory", "by_chance", "overlooked" })
