-- Is it contradictions that hold POR back? Two judges who know nothing of each other, as they are, and without completions
-- whose steps they call right and whose reply worse, or the other way round; UnifiReward beside them. Over three seeds.
local compeer = require "compeer"
local figures, policies = require "lib.figures", require "lib.policies"
local seeds = compeer.quick and 1 or 3

local rows, runs, add = require("lib.rows")()
for seed = 1, seeds do
  local all, method, made = policies(seed)
  local prm = method.taught_judge("prm", made.sft, made.cer, made.budget)
  local orm = method.taught_judge("orm", made.sft, made.cer, made.budget)
  local function two(name, contradictory)
    return method.taught(name, made.sft, prm, nil, { grpo = made.grpo },
      { ["rewards[0].outcome_model"] = orm.checkpoint, ["rewards[0].contradictory"] = contradictory })
  end
  for i, policy in ipairs { all[3], all[5], { "POR", two("ur_por", "kept") }, { "POR, filtered", two("ur_por-filtered", "left_out") } } do
    local name = policy[1]:gsub("%W+", "-") .. "-filter"
    add(i, policy[1], method.played("esc_eval", name, { plugin = "local", path = policy[2].checkpoint }))
  end
end

figures(rows, {
  { "true quality", "03-world_truth/quality/value", better = 1 }, { "1 right", "03-world_truth/history/value", better = 1 },
  { "2 right", "03-world_truth/emotion/value", better = 1 }, { "3 right", "03-world_truth/strategy/value", better = 1 },
  { "Overall", "01-esc_eval/overall/value", better = 1 }, { "average", "01-esc_eval/average/value", better = 1 } }, "POR")
compeer.report { title = "POR without contradictions", output = compeer.folder .. "/por_with_consistency_filter.html", runs = runs }
