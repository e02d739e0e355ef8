-- Table 1 of the paper on esc_world: what judges learn from the same annotated records, over seeds, each with a world of its own.
-- Under half an hour on two cores; docs/lab/judges.md says what is compared. (Contradictions, Figure 5: fig5_consistency.lua.)
local compeer = require "compeer"
local quick = compeer.quick

local seeds, dialogues, steps = quick and 1 or 3, quick and 40 or 400, quick and 20 or 200 -- steps of 16 records each
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
  stages[#stages + 1] = { plugin = "split", again = { "train" }, valid = 0, test = 0.3 }
  local run = compeer.experiment { name = ("table1-%s-%d"):format(name, seed), task = "data", ranks = 2, stages = stages,
    data = { splits = { "train" } },
    dataset = { plugin = "esc_world", unit = "dialogue", rounds = 3, seed = seed, train = dialogues } }:launch()
  return ("%s/stages/%02d-split.jsonl"):format(run.path, #stages)
end

local rows = require("lib.rows")()
for seed = 1, seeds do
  local rewrite = { plugin = "rewrite", chat = player(seed, 1) }
  local own = data(seed, "persona", { { plugin = "persona", chat = player(seed, 1) }, { plugin = "cluster" }, rewrite })
  rewrite.as_persona = false
  local plain = data(seed, "plain", { rewrite })
  local function judge(name, view, share, path, rewritten)
    return compeer.load("experiments/esc_world_judge.toml"):with { name = ("table1-%s-%d"):format(name, seed), seed = seed,
      model = { path = start }, dataset = { path = path or own, view = view, rewritten = rewritten or "left_out" },
      sft = { steps = math.floor(steps * share), batch = view == "prm" and 48 or 16 } }:launch().checkpoint
  end
  local function row(number, name, model, outcome_model)
    rows.add(name, compeer.experiment { name = ("table1-measured-%d-%d"):format(number, seed), task = "data", ranks = 2,
      data = { splits = { "test" } }, dataset = { plugin = "cer", path = own, view = "record", rewritten = "left_out" },
      stages = { { plugin = "reward_accuracy", model = model, outcome_model = outcome_model, reads = true } } }:launch())
  end
  row(1, "prm + orm", judge("prm", "prm", 1), judge("orm", "orm", 1))
  row(2, "  equal compute", judge("prm-less", "prm", less), judge("orm-less", "orm", less))
  row(3, "unifireward", judge("unifireward", "unifireward", 1))
  row(4, "  -D", judge("D", "unifireward", 2, own, "replaced"))
  row(5, "  -R", judge("R", "unifireward", 2, plain, "kept"))
  row(6, "  -P", judge("P", "unifireward", 2, own, "kept"))
end

local columns = require "lib.judged"
rows.show(columns, "prm + orm")
rows.show(columns, "  equal compute", { "  equal compute", "unifireward" })
rows.show(columns, "  -D", { "  -D", "  -R", "  -P" })
