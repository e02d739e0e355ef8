-- The paper's method in small, from nothing: a data set is built and annotated (CER), a policy learns what is right in
-- it (SFT), a judge learns the annotators' answers (UnifiReward), and the policy learns from the judge (UR), with
-- redundant answers counting less (URP). esc_world's truth is looked at, never learned from. Seven to ten minutes on
-- two cores.
local compeer = require "compeer"
local method = require("lib.method")(1)

local base = method.run "esc-world-base"
local writers = method.run "esc-world-sft"
local sft = method.run "esc-world-cer-sft"
local judge = method.run "esc-world-judge"
local accuracy = method.run "judge-accuracy"

local tests = {}
local function try(name, policy)
  local sampled = { name = name .. "-sampled", model = { path = policy.checkpoint } }
  local greedy = { name = name .. "-greedy", sampling = { greedy = true }, evaluate = { group_size = 1 } }
  local test = method.experiment("esc-world-tried", sampled)
  table.insert(tests, test:launch())
  table.insert(tests, test:with(greedy):launch())
end
try("sft", sft)
local ur = method.run "esc-world-ur"
try("ur", ur)
local urp = method.run "esc-world-urp"
try("urp", urp)

compeer.report {
  title = "Quickstart",
  output = compeer.folder .. "/quickstart/report.html",
  runs = { base, writers, sft, judge, ur, urp, tests },
}
for _, step in ipairs { "history", "emotion", "strategy" } do
  local found = accuracy[step .. ".false_recall"]
  print(("judge: %-8s weighted F1 %.2f, recall of False %.2f"):format(step, accuracy[step .. ".weighted_f1"], found))
end
print(("judge: reply    better or not %.2f"):format(accuracy["reply.better_or_not"]))
print(compeer.results(tests):table("name", "esc_world_truth.reward", "unifireward.reward", "esc_world_truth.quality",
  "redundancy.s_in", "distinct_2"))
