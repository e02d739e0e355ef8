-- The paper's method in small, from nothing: a data set is built and annotated (CER), a policy learns what is right in
-- it (SFT), a judge learns the annotators' answers (UnifiReward), and the policy learns from the judge (UR), with
-- redundant answers counting less (URP). A policy that is paid for the format alone is the control. esc_world's truth
-- is looked at, never learned from. Nine to fifteen minutes on two cores.
local compeer = require "compeer"
local policies = require "lib.policies"
local method = require("lib.method")(1)

local accuracy = method.run "judge-accuracy" -- and all that it takes
local runs, replies, dialogues = { method.run "esc-world-base", method.run "esc-world-judge" }, {}, {}
local shown = { SFT = true, ["format only"] = true, UR = true, URP = true }
for _, row in ipairs(policies) do
  if shown[row[1]] then
    local policy = method.run(row.run, row.changes)
    local tested = { name = row[1] .. "-sampled", model = { path = policy.checkpoint } }
    table.insert(runs, policy)
    table.insert(replies, method.run("esc-world-tried", tested))
    tested.name, tested.sampling, tested.evaluate = row[1] .. "-greedy", { greedy = true }, { group_size = 1 }
    table.insert(replies, method.run("esc-world-tried", tested))
    local played = { name = row[1] .. "-five-rounds", ["stages[0].supporter.path"] = policy.checkpoint }
    table.insert(dialogues, method.run("esc_eval", played))
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
