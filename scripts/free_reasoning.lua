-- Does it matter that reasoning has three steps? The same records taught as three steps, as a thought with the same
-- words in any order, and without any reasoning; each before and after GRPO on the reply's quality alone, as the seeker
-- feels it: what a step announces must not be paid.
local compeer = require "compeer"
local new_method = require "lib.method"

-- Supervised policies: table2.lua's is the one with steps.
local function supervised(method, reasoning)
  if reasoning == "steps" then return method.run "esc-world-cer-sft" end
  return method.run("esc-world-cer-sft", {
    name = "esc-world-cer-sft-" .. reasoning,
    dataset = { reasoning = reasoning },
  })
end

local function rewarded_for_the_reply(method, reasoning)
  return method.run("esc-world-grpo", {
    name = "free-" .. reasoning .. "-grpo",
    model = { path = supervised(method, reasoning).checkpoint },
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
    { "steps, SFT", made = supervised, reasoning = "steps" },
    { "steps, GRPO", made = rewarded_for_the_reply, reasoning = "steps" },
    { "thought, SFT", made = supervised, reasoning = "thought" },
    { "thought, GRPO", made = rewarded_for_the_reply, reasoning = "thought" },
    { "none, SFT", made = supervised, reasoning = "none" },
    { "none, GRPO", made = rewarded_for_the_reply, reasoning = "none" },
  },
  run = function(seed, row)
    local method = new_method(seed)
    local policy = row.made(method, row.reasoning).checkpoint
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
