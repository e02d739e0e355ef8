-- Effect of reweighting if the reward is the truth: a small model learns emotional support by SFT, then by GRPO with
-- and without redundancy-aware reweighting. Takes about three minutes on two cores.
local compeer = require "compeer"

local base = compeer.load("experiments/esc_world_base.toml"):launch()
local sft = compeer.load("experiments/esc_world_sft.toml"):with { model = { path = base.checkpoint } }:launch()
local grpo = compeer.load("experiments/esc_world_grpo.toml"):with { model = { path = sft.checkpoint } }
local plain = grpo:with { name = "grpo-none", reweighting = { tau = 0 } }:launch() -- measures redundancy only
local reweighted = grpo:with { name = "grpo-redundancy" }:launch()

-- Evaluates a policy on unseen dialogues: sampled as in training, and greedy.
local tests = {}
local function evaluate(name, policy)
  local test = compeer.load("experiments/esc_world_evaluate.toml"):with { model = { path = policy.checkpoint } }
  local greedy = { sampling = { greedy = true }, evaluate = { group_size = 1 } }
  table.insert(tests, test:with { name = name .. "-sampled" }:launch())
  table.insert(tests, test:with { name = name .. "-greedy" }:with(greedy):launch())
end
evaluate("before", sft)
evaluate("after-none", plain)
evaluate("after-redundancy", reweighted)

compeer.report {
  title = "Reweighting",
  output = compeer.folder .. "/reweighting/report.html",
  runs = { base, sft, plain, reweighted, tests },
}
print(compeer.results(tests):table("name", "esc_world_truth.quality", "reward", "redundancy.s_in", "distinct_2"))
