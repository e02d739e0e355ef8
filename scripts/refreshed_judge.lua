-- Does retraining the judge in the middle of GRPO stop a policy that exploits it? Trains without a KL term for 80
-- steps, then for 80 more with the old judge or with one that has learned from the policy's current replies. Takes six
-- minutes on two cores after the quickstart.
local compeer = require "compeer"
local method = require("lib.method")(1)

local function train_policy(name, policy, judge)
  return method.run("esc-world-ur", {
    name = "refreshed-" .. name,
    model = { path = policy.checkpoint },
    grpo = { steps = 80, beta = 0.0 },
    ["rewards[0].model"] = judge.checkpoint,
    ["rewards[0].accuracy"] = method.run("judge-accuracy", {
      name = "refreshed-" .. name .. "-accuracy",
      ["stages[0].model"] = judge.checkpoint,
    }).path,
    ["rewards[0].min_recall"] = 0,
  })
end

-- Trains the judge further, on annotated replies of the policy.
local function refresh(judge, policy)
  local stages = method.experiment("harder-records"):get "stages"
  stages[1].model = policy.checkpoint
  table.remove(stages, 2) -- removes the stage that spoils completions
  local records = method.run("harder-records", { name = "judge-anew-records", stages = stages }).records
  local data = method.run("judge-data", { name = "judge-anew-data", dataset = { path = records } })
  return method.run("esc-world-judge", {
    name = "judge-anew",
    model = { path = judge.checkpoint },
    dataset = { path = data.records },
  })
end

local judge = method.run "esc-world-judge"
local half = train_policy("half", method.run "esc-world-cer-sft", judge)
local policies = {
  half = half,
  old = train_policy("old", half, judge),
  new = train_policy("new", half, refresh(judge, half)),
}

local tests = {}
for _, name in ipairs { "half", "old", "new" } do
  for way, greedy in pairs { sampled = false, greedy = true } do
    table.insert(tests, method.run("esc-world-tried", {
      name = "refreshed-" .. name .. "-" .. way,
      model = { path = policies[name].checkpoint },
      sampling = { greedy = greedy },
      evaluate = { group_size = greedy and 1 or 4 },
    }))
  end
end
print(compeer.results(tests):table("name", "esc_world_truth.reward", "unifireward.reward", "esc_world_truth.quality",
  "esc_world_truth.grammatical"))
