-- Does a judge that is taught anew in the middle of GRPO hold a policy that exploits it? Without a KL term: 80 steps, then 80 more by the
-- old judge or by one that has seen what the policy says by now. After the quickstart six minutes on two cores.
local compeer = require "compeer"
local method = require("lib.method")(1)

local sft, cer = method.supervised()
local judge = method.judge(sft, cer)

local function taught(name, policy, by)
  return method.load("ur", { name = "refreshed-" .. name, model = { path = policy.checkpoint }, dataset = { plugin = "esc_world" },
    grpo = { steps = compeer.quick and 4 or 80, beta = 0.0 }, ["rewards[0].model"] = by.checkpoint, ["rewards[0].reader"] = sft.checkpoint }):launch()
end

local half = taught("half", sft, judge)
local old, new = taught("old", half, judge), taught("new", half, method.judge_anew(judge, half, sft, cer))
local tests = {}
for _, one in ipairs { { "half", half }, { "old", old }, { "new", new } } do
  tests[#tests + 1], tests[#tests + 2] = method.tried("refreshed-" .. one[1], one[2], sft, judge)
end
print(compeer.results(tests):table("name", "rewards/esc_world_truth/reward", "rewards/unifireward/reward",
  "rewards/esc_world_truth/quality", "rewards/esc_world_truth/grammatical"))
