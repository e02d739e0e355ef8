-- The paper's method in small, from nothing: a data set is built and annotated (CER), a policy learns what is right in it
-- (SFT), a judge learns the annotators' answers (UnifiReward), and the policy learns from the judge (UR), with redundant
-- answers counting less (URP). esc_world's truth is looked at, never learned from. Seven to ten minutes on two cores.
local compeer = require "compeer"
local method = require("lib.method")(1)

local sft, cer, base, writers = method.supervised()
local judge, accuracy = method.judge(sft, cer)
for _, part in ipairs { "history", "emotion", "strategy", "reply" } do
  local of, second = "01-reward_accuracy/" .. part .. "/", part == "reply" and "better_or_not" or "false_recall"
  print(("judge: %-8s weighted F1 %.2f, %s %.2f, ranked within rounds %.2f"):format(part, accuracy[of .. "weighted_f1/value"],
    second == "false_recall" and "recall of False" or "better or not", accuracy[of .. second .. "/value"],
    accuracy[of .. "ranked_within_rounds/value"]))
end

local pages, tests = { base, writers, sft, judge }, {}
local function try(name, model)
  tests[#tests + 1], tests[#tests + 2] = method.tried(name, model, sft, judge)
end
try("sft", sft)
for _, name in ipairs { "ur", "urp" } do
  pages[#pages + 1] = method.taught(name, sft, judge, accuracy)
  try(name, pages[#pages])
end
for _, result in ipairs(tests) do pages[#pages + 1] = result end

print(compeer.results(tests):table("name", "rewards/esc_world_truth/reward", "rewards/unifireward/reward",
  "rewards/esc_world_truth/quality", "redundancy/s_in", "distinct_2"))
compeer.report { title = "Quickstart", output = compeer.folder .. "/quickstart/report.html", runs = pages }
