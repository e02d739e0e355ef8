-- The paper's method at small scale, from nothing: builds and annotates a data set (CER), trains a policy on its right
-- completions (SFT) and a judge on the annotators' labels (UnifiReward), then trains the policy on the judge's rewards
-- (UR), and once more with lower weights for redundant completions (URP). The control is rewarded for the format alone.
-- esc_world's truth is measured, but never used for training. Takes nine to fifteen minutes on two cores.
local compeer = require "compeer"
local policies = require "lib.policies"
local method = require("lib.method")(1)

local accuracy = method.run "judge-accuracy" -- after the runs that it needs
local runs, replies, dialogues = { method.run "esc-world-base", method.run "esc-world-judge" }, {}, {}
local shown = { SFT = true, ["format only"] = true, UR = true, URP = true }
for _, row in ipairs(policies) do
  if shown[row[1]] then
    local policy = method.run(row.run, row.changes)
    local test = { name = row[1] .. "-sampled", model = { path = policy.checkpoint } }
    table.insert(runs, policy)
    table.insert(replies, method.run("esc-world-tried", test))
    test.name, test.sampling, test.evaluate = row[1] .. "-greedy", { greedy = true }, { group_size = 1 }
    table.insert(replies, method.run("esc-world-tried", test))
    local five_rounds = { name = row[1] .. "-five-rounds", ["stages[0].supporter.path"] = policy.checkpoint }
    table.insert(dialogues, method.run("esc_eval", five_rounds))
  end
end

compeer.report {
  title = "Quickstart",
  output = compeer.folder .. "/quickstart/report.html",
  runs = { runs, replies, dialogues },
}
for _, step in ipairs { "history", "emotion", "strategy" } do
  local found = accuracy[step .. ".false_recall"]
  print(("judge: %-8s weighted F1 %.2f, recall of False %.2f"):format(step, accuracy[step .. ".weighted_f1"], found))
end
print(("judge: reply    better or not %.2f, ranked within rounds %.2f"):format(accuracy["reply.better_or_not"],
  accuracy["reply.ranked_within_rounds"]))
print(compeer.results(replies):table("name", "esc_world_truth.reward", "unifireward.reward", "esc_world_truth.quality",
  "esc_world_truth.grammatical", "esc_world_truth.follows"))
print(compeer.results(dialogues):table("name", "world_truth.quality", "esc_eval.average", "diversity.repetition"))
