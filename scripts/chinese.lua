-- The whole method in Chinese: dialogues of SmileChat become records, a judge learns from them, SFT and GRPO train a
-- policy, and the judge's accuracy is measured, all with Chinese prompts. Writer and annotators are scripted, so
-- figures mean nothing: the script shows that every part works in Chinese. Replace `player` by a chat model for a
-- study. Needs models/smollm2 (docs/first_model.md; a model train on Chinese would do better) and corpora/smile, the
-- folder `data` of SmileChat.
local compeer = require "compeer"

local player = { plugin = "scripted", table = "experiments/real/chinese_players.jsonl" }
local prompts = "plugins/empathy/prompts/zh"
local system_prompt = [[
你提供情感支持。先分三步思考，再用一到三句话回复：
<history>对话进行到哪里</history><emotion>对方的感受</emotion><strategy>怎样帮助</strategy>
回复]]
local base = { plugin = "auto", path = "models/smollm2" }

local function run(name, task, changes)
  local here = compeer.experiment { name = "chinese-" .. name, task = task, threads = 2 }
  return here:with(changes):launch()
end

local function train(name, dataset)
  return run(name, "sft", {
    model = { plugin = base.plugin, path = base.path, adapter = { rank = 8, alpha = 16.0 } },
    dataset = dataset,
    sft = { batch = 4, steps = compeer.quick and 2 or 20, lr = 1e-3 },
  })
end

local records = run("cer", "data", {
  dataset = { plugin = "smile", path = "corpora/smile", unit = "dialogue" },
  data = { records = compeer.quick and 8 or 40 },
  stages = {
    { plugin = "deduplicate" },
    { plugin = "sample", rounds = 1, turns = 2 },
    { plugin = "generate", writer = player },
    { plugin = "annotate", annotator = player, second_annotator = player, third_annotator = player },
    { plugin = "split", again = { "train", "valid", "test" }, valid = 0.0, test = 0.25 },
  },
}).records

local judge = train("judge", { plugin = "cer", path = records, view = "unifireward", prompts = prompts })
local sft = train("sft", { plugin = "cer", path = records, keep = "all", system = system_prompt })
local ur = run("ur", "grpo", {
  model = { plugin = base.plugin, path = base.path, adapter = { path = sft.checkpoint } },
  dataset = { plugin = "cer", path = records, keep = "all", system = system_prompt },
  rewards = {
    { plugin = "unifireward", model = judge.checkpoint, prompts = prompts, score_by = "likelihood",
      max_unreadable = 1.0 },
  },
  grpo = { batch = 2, group_size = 2, steps = compeer.quick and 1 or 4 },
  sampling = { max_new_tokens = 64 },
})
local accuracy = run("accuracy", "data", {
  dataset = { plugin = "cer", path = records, view = "record" },
  data = { splits = { "test" } },
  stages = { { plugin = "reward_accuracy", model = judge.checkpoint, prompts = prompts, score_by = "likelihood" } },
})
print(compeer.results({ ur }):table("name", "reward"))
print("the judge is right on emotions in " .. accuracy["emotion.accuracy"] .. ", which means nothing here")
