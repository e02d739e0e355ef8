-- What do annotators who err do to a judge? Their agreement (Cohen's kappa) against the judge's F1 on each step, measured on
-- labels of careful annotators, under rising noise. Over three seeds.
local compeer = require "compeer"
local figures, new = require "lib.figures", require "lib.method"
local seeds = compeer.quick and 1 or 3
local budget = { sft = { batch = 16, steps = 400 } }

local rows, _, add_judge = require("lib.rows")()
local kappas, _, add_kappa = require("lib.rows")()
for seed = 1, seeds do
  local careful = new(seed, { name = "noise-0", player = { annotator_noise = 0.0 } })
  local sft, careful_cer = careful.supervised()
  local truth = careful.judge_data(sft, careful_cer)
  for i, noise in ipairs { 0.0, 0.1, 0.2, 0.3 } do
    local method = new(seed, { name = "noise-" .. noise, player = { annotator_noise = noise } })
    local _, cer, _, _, made = method.supervised()
    local judge = method.taught_judge("unifireward", sft, cer, budget)
    add_kappa(i, "noise " .. noise, made)
    add_judge(i, "noise " .. noise, careful.measured("agreement-" .. noise, truth, {
      { plugin = "reward_accuracy", model = judge.checkpoint, reads = true, by = "likelihood" } }))
  end
end

local agreement, accuracy = {}, {}
for i, step in ipairs { "history", "emotion", "strategy" } do
  agreement[i] = { i .. ": kappa", ("05-annotate/agreement/%s/cohen"):format(step) }
  accuracy[i] = { i .. ": F1", ("01-reward_accuracy/%s/weighted_f1/value"):format(step), better = 1 }
end
agreement[4] = { "reply: kappa", "05-annotate/agreement/preference/cohen" }
accuracy[4] = { "better or not", "01-reward_accuracy/reply/better_or_not/value", better = 1 }
figures(kappas, agreement)
print()
figures(rows, accuracy, "noise 0.0")
