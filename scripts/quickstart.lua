-- The paper's method in small, from nothing: a data set is built and annotated (CER), a policy learns what is right in it
-- (SFT), a judge learns the annotators' answers (UnifiReward), and the policy learns from the judge (UR), with redundant
-- answers counting less (URP). esc_world's truth is looked at, never learned from. Seven to ten minutes on two cores.
local compeer = require "compeer"

local dialogues, rounds = 1200, 3
local function load(name, more) return compeer.load("experiments/esc_world_" .. name .. ".toml"):with(more) end
local function player(seed) return { plugin = "esc_world", seed = seed, world = { rounds = rounds } } end
local annotate = { plugin = "annotate", annotator = player(1), second_annotator = player(2), third_annotator = player(3) }

-- The records after the last of these stages, and the run.
local function records(name, dataset, splits, stages)
  local run = compeer.experiment { name = name, task = "data", ranks = 2, dataset = dataset, data = { splits = splits },
    stages = stages }:launch()
  return ("%s/stages/%02d-%s.jsonl"):format(run.path, #stages, stages[#stages].plugin), run
end

local base = compeer.load("experiments/esc_world_base.toml"):launch()
local writers = load("sft", { model = { path = base.checkpoint } }):launch()
local cer = records("cer-small", { plugin = "esc_world", unit = "dialogue", rounds = rounds, train = dialogues }, { "train" }, {
  { plugin = "deduplicate" }, { plugin = "filter", chat = player(1) }, { plugin = "sample", rounds = 3 },
  { plugin = "generate", writer = player(1), second_writer = player(2) }, annotate, { plugin = "split" } })
local sft = load("cer_sft", { model = { path = writers.checkpoint }, dataset = { path = cer } }):launch()

-- A judge should have seen a policy's mistakes, and be measured before anything learns from it.
local known = records("judge-data", { plugin = "cer", path = cer, view = "record" }, { "train", "valid", "test" }, {
  { plugin = "respond", model = sft.checkpoint }, { plugin = "spoil", share = 0.4 }, annotate,
  { plugin = "read", model = sft.checkpoint } })
local judge = load("judge", { model = { path = sft.checkpoint }, dataset = { path = known } }):launch()
local _, accuracy = records("judge-accuracy", { plugin = "cer", path = known, view = "record" }, { "test" }, {
  { plugin = "reward_accuracy", model = judge.checkpoint, reads = true } })
for _, part in ipairs { "history", "emotion", "strategy", "reply" } do
  local of = "01-reward_accuracy/" .. part .. "/"
  print(("judge: %-8s weighted F1 %.2f, %s %.2f"):format(part, accuracy[of .. "weighted_f1/value"],
    part == "reply" and "better or not" or "recall of False", accuracy[of .. (part == "reply" and "better_or_not" or "false_recall") .. "/value"]))
end

-- What a model is worth on dialogues it has not seen, in truth and to the judge: sampled as in training, and greedy.
local pages, tests = { base, writers, sft, judge }, {}
local seen = { plugin = "unifireward", model = judge.checkpoint, reader = sft.checkpoint, by = "likelihood", weight = 0 }
local test = load("evaluate", { evaluate = { prompts = 400 },
  rewards = { { plugin = "esc_world_truth" }, { plugin = "format" }, seen } })
local function try(name, checkpoint)
  local sampled = test:with { name = name .. "-sampled", model = { path = checkpoint } }
  tests[#tests + 1] = sampled:launch()
  tests[#tests + 1] = sampled:with { name = name .. "-greedy", sampling = { greedy = true }, evaluate = { group_size = 1 } }:launch()
end
try("sft", sft.checkpoint)
for _, name in ipairs { "ur", "urp" } do
  local run = load(name, { model = { path = sft.checkpoint }, ["rewards[0].model"] = judge.checkpoint,
    ["rewards[0].reader"] = sft.checkpoint, ["rewards[0].accuracy"] = accuracy.path }):launch()
  pages[#pages + 1] = run
  try(name, run.checkpoint)
end
for _, result in ipairs(tests) do pages[#pages + 1] = result end

print(compeer.results(tests):table("name", "rewards/esc_world_truth/reward", "rewards/unifireward/reward",
  "rewards/esc_world_truth/quality", "redundancy/s_in", "distinct_2"))
compeer.report { title = "Quickstart", output = "results/quickstart/report.html", runs = pages }
