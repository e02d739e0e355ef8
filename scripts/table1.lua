-- Table 1 and Figure 5a of the paper on esc_world: what judges learn from the same annotated records, over seeds, each with
-- a world of its own. Under half an hour on two cores; docs/judges.md says what is compared, and what came out.
local compeer = require "compeer"

local seeds, dialogues, steps = 3, 400, 100 -- dialogues of each seed; steps of 32 records each
local less = 0.4 -- of the steps: what PRM and ORM together can have for unifireward's cost

local base = compeer.load("experiments/esc_world_base.toml"):launch()
local start = compeer.load("experiments/esc_world_sft.toml"):with { model = { path = base.checkpoint } }:launch().checkpoint

local function player(seed, number) -- with these errors 23 % of the steps are False, as in the paper's data
  return { plugin = "esc_world", seed = number, errors = 0.6, world = { rounds = 5, seed = seed } }
end

local function data(seed, name, rewriting)
  local stages = { { plugin = "sample", rounds = 3 },
    { plugin = "generate", writer = player(seed, 1), second_writer = player(seed, 2) },
    { plugin = "annotate", annotator = player(seed, 1), second_annotator = player(seed, 2), third_annotator = player(seed, 3) } }
  for _, stage in ipairs(rewriting) do stages[#stages + 1] = stage end
  stages[#stages + 1] = { plugin = "filter", chat = player(seed, 1), only = "rewritten" }
  stages[#stages + 1] = { plugin = "split", valid = 0, test = 0.3 }
  local world = { plugin = "esc_world", unit = "dialogue", rounds = 5, seed = seed, train = dialogues }
  local run = compeer.experiment { name = ("table1-%s-%d"):format(name, seed), task = "data", ranks = 2, dataset = world,
    data = { splits = { "train" } }, stages = stages }:launch()
  return ("%s/stages/%02d-split.jsonl"):format(run.path, #stages)
end

local function judge(seed, name, view, share, path, rewritten)
  return compeer.load("experiments/esc_world_judge.toml"):with { name = ("table1-%s-%d"):format(name, seed), seed = seed,
    model = { path = start }, dataset = { path = path, view = view, rewritten = rewritten or "left_out" },
    sft = { steps = math.floor(steps * share), batch = view == "prm" and 96 or 32 } }:launch().checkpoint
end

local function measured(seed)
  local rewrite = { plugin = "rewrite", chat = player(seed, 1) }
  local path = data(seed, "persona", { { plugin = "persona", chat = player(seed, 1) }, { plugin = "cluster" }, rewrite })
  rewrite.as_persona = false
  local plain = data(seed, "plain", { rewrite })
  local prm, orm = judge(seed, "prm", "prm", 1, path), judge(seed, "orm", "orm", 1, path)
  local one = judge(seed, "unifireward", "unifireward", 1, path)
  local function accuracy(label, model, outcome_model)
    return { plugin = "reward_accuracy", label = label, model = model, outcome_model = outcome_model }
  end
  local function twice(label, from, rewritten) -- each record, and its copy or what became of it, as often as for the others
    return accuracy(label, judge(seed, label, "unifireward", 2, from, rewritten))
  end
  return compeer.experiment { name = "table1-measured-" .. seed, task = "data", ranks = 2, data = { splits = { "test" } },
    dataset = { plugin = "cer", path = path, view = "record", rewritten = "left_out" },
    stages = { accuracy("prm-orm", prm, orm),
      accuracy("prm-orm-less", judge(seed, "prm-less", "prm", less, path), judge(seed, "orm-less", "orm", less, path)),
      accuracy("unifireward", one),
      twice("unifireward-D", path, "replaced"), twice("unifireward-R", plain, "kept"), twice("unifireward-P", path, "kept"),
      { plugin = "consistency", label = "prm-orm-5a", model = prm, outcome_model = orm, chat = player(seed, 1) },
      { plugin = "consistency", label = "unifireward-5a", model = one, chat = player(seed, 1) } } }:launch()
end

local results = {}
for seed = 1, seeds do results[seed] = measured(seed) end

local t = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262 } -- Student's, for 95 %
local function over_seeds(figure) -- mean and half the interval
  local sum, squares = 0, 0
  for _, result in ipairs(results) do sum = sum + figure(result) end
  for _, result in ipairs(results) do squares = squares + (figure(result) - sum / seeds) ^ 2 end
  local half = seeds > 1 and t[seeds - 1] * math.sqrt(squares / (seeds - 1) / seeds) or 0
  return ("%8.3f ±%.3f"):format(sum / seeds, half)
end

local columns = { "history/weighted_f1", "history/false_recall", "emotion/weighted_f1", "emotion/false_recall",
  "strategy/weighted_f1", "strategy/false_recall", "reply/weighted_f1", "reply/accuracy", "reply/better_or_not" }
local function line(title, columns, label, against)
  local text = ("%-26s"):format(title)
  for _, column in ipairs(columns) do
    text = text .. over_seeds(function(result)
      return result[label .. "/" .. column .. "/value"] - (against and result[against .. "/" .. column .. "/value"] or 0)
    end)
  end
  print(text)
end
print((" "):rep(26) .. "   step 1 F1  False found  step 2 F1  False found  step 3 F1  False found  reply F1   accuracy     better or not")
line("prm + orm", columns, "01-prm-orm")
line("prm + orm, equal compute", columns, "02-prm-orm-less")
for number, name in ipairs { "unifireward", "unifireward-D", "unifireward-R", "unifireward-P" } do
  line(name, columns, ("%02d-%s"):format(number + 2, name))
end
print "differences, seed by seed"
line("unifireward - prm + orm", columns, "03-unifireward", "01-prm-orm")
line("  at equal compute", columns, "03-unifireward", "02-prm-orm-less")
line("R - D", columns, "05-unifireward-R", "04-unifireward-D")
line("P - D", columns, "06-unifireward-P", "04-unifireward-D")
print "\n                             contradictory  apart"
local shares = { "contradictory", "apart" }
line("prm + orm", shares, "07-prm-orm-5a")
line("unifireward", shares, "08-unifireward-5a")
line("difference", shares, "08-unifireward-5a", "07-prm-orm-5a")
