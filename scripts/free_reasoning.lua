-- Does it matter that reasoning has three steps? The same records taught as three steps, as a thought with the same words in
-- any order, and without any reasoning; each before and after GRPO on the reply's true quality alone. Over three seeds.
local compeer = require "compeer"
local new = require "lib.method"
local seeds = compeer.quick and 1 or 3
local steps = compeer.quick and 4 or 100

local rows = require("lib.rows")()
for seed = 1, seeds do
  local method = new(seed, { name = "study" }) -- table2.lua's SFT is the one with steps
  for _, form in ipairs { "steps", "thought", "none" } do
    local sft = method.supervised(form ~= "steps" and "cer-sft-" .. form or nil, { dataset = { reasoning = form } })
    local grpo = method.load("grpo", { name = ("free-%s-grpo-%d"):format(form, seed), model = { path = sft.checkpoint },
      dataset = { seed = seed - 1 }, grpo = { steps = steps }, reweighting = { plugin = "none" },
      rewards = { { plugin = "esc_world_truth", step_weight = 0.0, format_weight = 0.0, demands_format = false } } }):launch()
    for k, policy in ipairs { sft, grpo } do
      local name = form .. (k == 1 and ", SFT" or ", GRPO")
      rows.add(name, method.played("esc_eval", "free-" .. name:gsub("%W+", "-"), { plugin = "local", path = policy.checkpoint }))
    end
  end
end

rows.show({
  { "true quality", "03-world_truth/quality/value", better = 1 }, { "grammatical", "03-world_truth/grammatical/value", better = 1 },
  { "Empathy", "01-esc_eval/empathic/value", better = 1 }, { "Skillful", "01-esc_eval/tech/value", better = 1 },
  { "Overall", "01-esc_eval/overall/value", better = 1 }, { "Expression", "01-esc_eval/diversity/value", better = 1 } }, "none, GRPO")
compeer.report { title = "Reasoning in steps, freely, not at all", output = compeer.folder .. "/free_reasoning.html", runs = rows.runs }
