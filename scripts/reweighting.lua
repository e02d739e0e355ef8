-- What reweighting does where the reward knows the truth: a small model learns emotional support, supervised first, then
-- by GRPO with and without redundancy-aware reweighting. About three minutes on two cores.
local compeer = require "compeer"

local base = compeer.load("experiments/esc_world_base.toml"):launch()
local sft = compeer.load("experiments/esc_world_sft.toml"):with { model = { path = base.checkpoint } }:launch()

-- What a model is worth on dialogues it has not seen: sampled as in training, and greedy.
local function evaluate(name, model)
  local test = compeer.load("experiments/esc_world_evaluate.toml"):with { model = { path = model } }
  local sampled = test:with { name = name .. "-sampled" }:launch()
  local greedy = test:with { name = name .. "-greedy", sampling = { greedy = true }, evaluate = { group_size = 1 } }:launch()
  return sampled, greedy
end

local pages = { base, sft }
local tests = {}
local function keep(...)
  for _, result in ipairs { ... } do pages[#pages + 1], tests[#tests + 1] = result, result end
end

keep(evaluate("before", sft.checkpoint))
local grpo = compeer.load("experiments/esc_world_grpo.toml"):with { model = { path = sft.checkpoint } }
for _, case in ipairs { { name = "none", tau = 0 }, { name = "redundancy" } } do -- tau = 0: measured, but not used
  local run = grpo:with { name = "grpo-" .. case.name, reweighting = { tau = case.tau } }:launch()
  pages[#pages + 1] = run
  keep(evaluate("after-" .. case.name, run.checkpoint))
end

print(compeer.results(tests):table("name", "rewards/esc_world_truth/quality", "reward", "redundancy/s_in", "distinct_2"))
compeer.report { title = "Reweighting", output = compeer.folder .. "/reweighting/report.html", runs = pages }
