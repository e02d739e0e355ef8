-- Table 1 and Figure 5a of the paper on esc_world: what judges learn from the same annotated records, over seeds, each with
-- a world of its own. Under half an hour on two cores; docs/judges.md says what is compared.
local compeer = require "compeer"
local over_seeds = require "lib.over_seeds"

local seeds, dialogues, steps = 3, 400, 200 -- dialogues of each seed; steps of 16 records each
local less = 0.48 -- of the steps: what PRM and ORM together can have for the time of unifireward
local start = require("lib.method")(1).supervised().checkpoint -- of yet another world: judges start from it and see how it reads

local function player(seed, number) -- with these errors 23 % of the steps are False, as in the paper's data
  return { plugin = "esc_world", seed = number, errors = 0.6, world = { rounds = 3, seed = seed } }
end

local function data(seed, name, rewriting)
  local stages = { { plugin = "sample", rounds = 3 },
    { plugin = "generate", writer = player(seed, 1), second_writer = player(seed, 2) },
    { plugin = "annotate", annotator = player(seed, 1), second_annotator = player(seed, 2), third_annotator = player(seed, 3) } }
  for _, stage in ipairs(rewriting) do stages[#stages + 1] = stage end
  stages[#stages + 1] = { plugin = "filter", chat = player(seed, 1), only = "rewritten" }
  stages[#stages + 1] = { plugin = "read", model = start }
  stages[#stages + 1] = { plugin = "split", valid = 0, test = 0.3 }
  local run = compeer.experiment { name = ("table1-%s-%d"):format(name, seed), task = "data", ranks = 2, stages = stages,
    data = { splits = { "train" } },
    dataset = { plugin = "esc_world", unit = "dialogue", rounds = 3, seed = seed, train = dialogues } }:launch()
  return ("%s/stages/%02d-split.jsonl"):format(run.path, #stages)
end

local function measured(seed)
  local rewrite = { plugin = "rewrite", chat = player(seed, 1) }
  local own = data(seed, "persona", { { plugin = "persona", chat = player(seed, 1) }, { plugin = "cluster" }, rewrite })
  rewrite.as_persona = false
  local plain = data(seed, "plain", { rewrite })
  local function judge(name, view, share, path, rewritten)
    return compeer.load("experiments/esc_world_judge.toml"):with { name = ("table1-%s-%d"):format(name, seed), seed = seed,
      model = { path = start }, dataset = { path = path or own, view = view, rewritten = rewritten or "left_out" },
      sft = { steps = math.floor(steps * share), batch = view == "prm" and 48 or 16 } }:launch().checkpoint
  end
  local function stage(plugin, label, model, outcome_model, chat)
    return { plugin = plugin, label = label, model = model, outcome_model = outcome_model, chat = chat, reads = true }
  end
  local prm, orm, unifireward = judge("prm", "prm", 1), judge("orm", "orm", 1), judge("unifireward", "unifireward", 1)
  return compeer.experiment { name = "table1-measured-" .. seed, task = "data", ranks = 2, data = { splits = { "test" } },
    dataset = { plugin = "cer", path = own, view = "record", rewritten = "left_out" }, stages = {
      stage("reward_accuracy", "prm-orm", prm, orm),
      stage("reward_accuracy", "prm-orm-less", judge("prm-less", "prm", less), judge("orm-less", "orm", less)),
      stage("reward_accuracy", "unifireward", unifireward),
      stage("reward_accuracy", "D", judge("D", "unifireward", 2, own, "replaced")),
      stage("reward_accuracy", "R", judge("R", "unifireward", 2, plain, "kept")),
      stage("reward_accuracy", "P", judge("P", "unifireward", 2, own, "kept")),
      stage("consistency", "two-truth", prm, orm, player(seed, 1)),
      stage("consistency", "one-truth", unifireward, nil, player(seed, 1)),
      stage("consistency", "two-labels", prm, orm), stage("consistency", "one-labels", unifireward) } }:launch()
end

local results = {}
for seed = 1, seeds do results[seed] = measured(seed) end

local function line(columns, title, stage, against) -- means over seeds and half their intervals; of differences, if against
  local text = ("%-26s"):format(title)
  for _, column in ipairs(columns) do
    local values = {}
    for i, result in ipairs(results) do
      values[i] = result[stage .. "/" .. column .. "/value"] - (against and result[against .. "/" .. column .. "/value"] or 0)
    end
    text = text .. ("%7.3f ±%.3f"):format(over_seeds(values))
  end
  print(text)
end

print((" "):rep(28) .. "1: F1        False found  2: F1        False found  3: F1        False found  reply: F1    accuracy     better or not ranked")
local columns = {}
for _, step in ipairs { "history", "emotion", "strategy" } do
  columns[#columns + 1], columns[#columns + 2] = step .. "/weighted_f1", step .. "/false_recall"
end
for _, name in ipairs { "weighted_f1", "accuracy", "better_or_not", "ranked_within_rounds" } do columns[#columns + 1] = "reply/" .. name end
line(columns, "prm + orm", "01-prm-orm")
line(columns, "prm + orm, equal compute", "02-prm-orm-less")
line(columns, "unifireward", "03-unifireward")
for number, name in ipairs { "D", "R", "P" } do line(columns, "unifireward-" .. name, ("%02d-%s"):format(number + 3, name)) end
print "differences, seed by seed:"
line(columns, "unifireward - prm + orm", "03-unifireward", "01-prm-orm")
line(columns, "  at equal compute", "03-unifireward", "02-prm-orm-less")
line(columns, "R - D", "05-R", "04-D")
line(columns, "P - D", "06-P", "04-D")
for _, by in ipairs { "truth", "labels" } do
  local shares = by == "truth" and { "contradictory", "apart" } or { "contradictory", "by_chance", "overlooked" }
  print(("verdicts on steps and reply, by the %s: %s"):format(by, table.concat(shares, ", ")))
  local two, one = by == "truth" and "07-two-truth" or "09-two-labels", by == "truth" and "08-one-truth" or "10-one-labels"
  line(shares, "prm + orm", two)
  line(shares, "unifireward", one)
  line(shares, "difference", one, two)
end
