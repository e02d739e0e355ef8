-- Do two judges teach better without completions on which they contradict each other? POR as it is, and without completions whose
-- steps they call right and whose reply worse, or the other way round; at equal records and at equal compute (lib/policies.lua), with
-- UnifiReward beside them. Over three seeds.
local compeer = require "compeer"
local policies = require "lib.policies"
local seeds = compeer.quick and 1 or 3

local rows = require("lib.rows")()
for seed = 1, seeds do
  local _, method, made = policies(seed, true)
  -- In one reward, which can tell where the two contradict each other.
  local function two(name, share, contradictory)
    local prm, orm = method.taught_judge("prm", made.sft, made.cer, share), method.taught_judge("orm", made.sft, made.cer, share)
    return method.taught(name, made.sft, prm, nil, { grpo = made.grpo },
      { ["rewards[0].outcome_model"] = orm.checkpoint, ["rewards[0].contradictory"] = contradictory })
  end
  for _, policy in ipairs {
    { "SFT", made.sft }, { "UR", made.taught("ur") },
    { "POR", two("ur_por", nil, "kept") }, { "POR filtered", two("ur_por-filtered", nil, "left_out") },
    { "POR equal compute", two("ur_por-half", made.half, "kept") },
    { "POR equal compute, filtered", two("ur_por-half-filtered", made.half, "left_out") } } do
    local name = policy[1]:gsub("%W+", "-") .. "-filter"
    rows.add(policy[1], method.played("esc_eval", name, { plugin = "local", path = policy[2].checkpoint }))
  end
end

local columns = {
  { "true quality", "03-world_truth/quality/value", better = 1 }, { "1 right", "03-world_truth/history/value", better = 1 },
  { "2 right", "03-world_truth/emotion/value", better = 1 }, { "3 right", "03-world_truth/strategy/value", better = 1 },
  { "Overall", "01-esc_eval/overall/value", better = 1 }, { "average", "01-esc_eval/average/value", better = 1 } }
print("equal records:")
rows.show(columns, "POR", { "SFT", "UR", "POR", "POR filtered" })
print("\nequal compute:")
rows.show(columns, "POR equal compute", { "SFT", "UR", "POR equal compute", "POR equal compute, filtered" })
compeer.report { title = "POR without contradictions", output = compeer.folder .. "/por_with_consistency_filter.html", runs = rows.runs }
