-- Figure 5 of the paper on esc_world: how often what a judge says of the steps and of the reply contradicts itself, one judge
-- for both (UnifiReward) against one of steps and one of replies (PRM and ORM; at equal records and at equal compute), by the world's
-- truth and by the annotators' labels. Over the three seeds of table2.lua, whose judges they are. What a round costs: `compeer bench
-- judging`.
local compeer = require "compeer"
local new_rows, policies = require "lib.rows", require "lib.policies"
local seeds = compeer.quick and 1 or 3

local runs, shares = {}, { "contradictory", "apart", "by_chance", "overlooked" }
local judges = { { "PRM and ORM", "two" }, { "equal compute", "half" }, { "UnifiReward", "one" } }
for seed = 1, seeds do
  local _, method, made = policies(seed, true)
  local sft, cer = made.sft, made.cer
  local function pair(share) return method.taught_judge("prm", sft, cer, share), method.taught_judge("orm", sft, cer, share) end
  local truth, stages = { plugin = "esc_world", world = { rounds = 3, seed = seed - 1 } }, {}
  for _, by in ipairs { "truth", "labels" } do
    local function stage(label, model, outcome_model)
      stages[#stages + 1] = { plugin = "consistency", label = label .. "-" .. by, reads = true, chat = by == "truth" and truth or nil,
        model = model.checkpoint, outcome_model = outcome_model and outcome_model.checkpoint }
    end
    stage("two", pair())
    stage("half", pair(made.half))
    stage("one", made.judge)
  end
  runs[seed] = method.measured("consistency", method.judge_data(sft, cer), stages)
end

-- Of one run all judges are rows: what a row's result is asked for is a share of its own stage.
for first, by in pairs { [0] = "truth", [3] = "labels" } do
  local rows, columns = new_rows(), {}
  for i, judge in ipairs(judges) do
    for _, run in ipairs(runs) do rows.add(judge[1], { run = run, stage = ("%02d-%s-%s/"):format(first + i, judge[2], by) }) end
  end
  for _, share in ipairs(by == "truth" and { shares[1], shares[2] } or { shares[1], shares[3], shares[4] }) do
    columns[#columns + 1] = { share, function(row) return row.run[row.stage .. share .. "/value"] end, better = -1 }
  end
  print((first == 0 and "" or "\n") .. "by the " .. by .. ":")
  rows.show(columns, "PRM and ORM")
end
