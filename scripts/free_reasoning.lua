-- Does it matter that reasoning has three steps? The same records are taught as three steps, as a thought with the same
-- words in any order, and without reasoning; each policy is evaluated before and after GRPO. The reward depends only on
-- the reply's quality as the seeker feels it, because a reward for steps could not be earned without steps.
local compeer = require "compeer"
local new_method = require "lib.method"

-- Returns the policy after SFT; with steps it is table2.lua's.
local function sft(method, reasoning)
  if reasoning == "steps" then return method.run "esc-world-cer-sft" end
  return method.run("esc-world-cer-sft", {
    name = "esc-world-cer-sft-" .. reasoning,
    dataset = { reasoning = reasoning },
  })
end

local function grpo_on_replies(method, reasoning)
  return method.run("esc-world-grpo", {
    name = "free-" .. reasoning .. "-grpo",
    model = { path = sft(method, reasoning).checkpoint },
    reweighting = { plugin = "none" },
    rewards = {
      { plugin = "esc_world_truth", step_weight = 0.0, format_weight = 0.0, demands_format = false, reply = "felt" },
    },
  })
end

local study = compeer.study {
  name = "reasoning",
  seeds = 3,
  rows = {
    { "steps, SFT", train = sft, reasoning = "steps" },
    { "steps, GRPO", train = grpo_on_replies, reasoning = "steps" },
    { "thought, SFT", train = sft, reasoning = "thought" },
    { "thought, GRPO", train = grpo_on_replies, reasoning = "thought" },
    { "none, SFT", train = sft, reasoning = "none" },
    { "none, GRPO", train = grpo_on_replies, reasoning = "none" },
  },
  run = function(seed, row)
    local method = new_method(seed)
    local policy = row.train(method, row.reasoning).checkpoint
    return method.run("esc_eval", { name = "esc_eval-free-" .. row.name, ["stages[0].supporter.path"] = policy })
  end,
  figures = {
    { "true quality", "world_truth.quality" },
    { "grammatical", "world_truth.grammatical" },
    { "Empathy", "esc_eval.empathic" },
    { "Skillful", "esc_eval.tech" },
    { "Overall", "esc_eval.overall" },
    { "Expression", "esc_eval.diversity" },
  },
  against = "none, GRPO",
}
compeer.report {
  title = "Reasoning in steps, freely, not at all",
  output = compeer.folder .. "/free_reasoning.html",
  runs = study.runs,
}
