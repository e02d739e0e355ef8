-- What do annotators who err do to a judge? Their agreement (Cohen's kappa) against the judge's F1 on each step, measured on
-- labels of careful annotators, under rising noise. Over three seeds; half an hour on two cores, less after table2.lua.
local compeer = require "compeer"
local new_rows, new = require "lib.rows", require "lib.method"
local seeds = compeer.quick and 1 or 3
local usual = { name = "study" } -- as in table2.lua; esc_world's annotators give a wrong verdict in a tenth of the cases
local levels = { { name = "noise-0", player = { annotator_noise = 0.0 } }, usual, { name = "noise-0.3", player = { annotator_noise = 0.3 } } }
local names = { "noise 0", "noise .1", "noise .3" }

local judges, kappas = new_rows(), new_rows()
for seed = 1, seeds do
  local sft = new(seed, usual).supervised() -- all judges begin with it and see how it reads
  local careful = new(seed, levels[1])
  local truth = careful.judge_data(sft, (careful.cer()))
  for i, level in ipairs(levels) do
    local method = new(seed, level)
    local cer, made = method.cer()
    local judge = method.taught_judge("unifireward", sft, cer)
    kappas.add(names[i], made)
    judges.add(names[i], careful.measured("agreement-" .. i, truth, {
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
kappas.show(agreement)
print()
judges.show(accuracy, names[1])
