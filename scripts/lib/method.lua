-- The paper's method in small on esc_world: what the scripts that run it share. A seed has a world of its own.
local compeer = require "compeer"

local dialogues, rounds = 1200, 3

return function(seed)
  local method, world = {}, { plugin = "esc_world", seed = seed - 1 }
  local function named(name) return seed == 1 and name or name .. "-" .. seed end
  local function player(number) return { plugin = "esc_world", seed = number, world = { rounds = rounds, seed = seed - 1 } } end
  local annotate = { plugin = "annotate", annotator = player(1), second_annotator = player(2), third_annotator = player(3) }

  -- experiments/esc_world_<name>.toml with this seed, and more.
  function method.load(name, more)
    return compeer.load("experiments/esc_world_" .. name .. ".toml")
      :with { name = named("esc-world-" .. name:gsub("_", "-")), seed = seed }:with(more or {})
  end

  -- The records after the last of these stages, and the run.
  local function records(name, dataset, splits, stages)
    local run = compeer.experiment { name = named(name), task = "data", seed = seed, ranks = 2, dataset = dataset,
      data = { splits = splits }, stages = stages }:launch()
    return ("%s/stages/%02d-%s.jsonl"):format(run.path, #stages, stages[#stages].plugin), run
  end

  -- A policy that speaks as the writers do, CER records of what they and their rivals say, and what is right in these (SFT).
  function method.supervised()
    local base = compeer.load("experiments/esc_world_base.toml"):launch()
    local writers = compeer.load("experiments/esc_world_sft.toml"):with { model = { path = base.checkpoint } }:launch()
    local cer = records("cer-small", { plugin = "esc_world", seed = seed - 1, unit = "dialogue", rounds = rounds, train = dialogues },
      { "train" }, { { plugin = "deduplicate" }, { plugin = "filter", chat = player(1) }, { plugin = "sample", rounds = 3 },
        { plugin = "generate", writer = player(1), second_writer = player(2) }, annotate, { plugin = "split" } })
    return method.load("cer_sft", { model = { path = writers.checkpoint }, dataset = { path = cer } }):launch(), cer, base, writers
  end

  -- A judge (UnifiReward), which should have seen a policy's mistakes, and its measurement, before anything learns from it.
  function method.judge(sft, cer)
    local known = records("judge-data", { plugin = "cer", path = cer, view = "record" }, { "train", "valid", "test" }, {
      { plugin = "respond", model = sft.checkpoint }, { plugin = "spoil", share = 0.4 }, annotate,
      { plugin = "read", model = sft.checkpoint } })
    local judge = method.load("judge", { model = { path = sft.checkpoint }, dataset = { path = known } }):launch()
    local _, accuracy = records("judge-accuracy", { plugin = "cer", path = known, view = "record" }, { "test" }, {
      { plugin = "reward_accuracy", model = judge.checkpoint, reads = true, by = "likelihood" } }) -- as the reward asks
    return judge, accuracy
  end

  -- The judge taught further, on what a policy says by now.
  function method.judge_anew(judge, policy, sft, cer)
    local known = records("judge-anew-data", { plugin = "cer", path = cer, view = "record" }, { "train", "valid", "test" }, {
      { plugin = "respond", model = policy.checkpoint }, annotate, { plugin = "read", model = sft.checkpoint } })
    return method.load("judge", { name = named("judge-anew"), model = { path = judge.checkpoint }, dataset = { path = known },
      sft = { steps = 300 } }):launch()
  end

  -- The policy taught by the judge: "ur", or "urp" with redundancy-aware reweighting.
  function method.taught(name, sft, judge, accuracy)
    return method.load(name, { dataset = world, model = { path = sft.checkpoint }, ["rewards[0].model"] = judge.checkpoint,
      ["rewards[0].reader"] = sft.checkpoint, ["rewards[0].accuracy"] = accuracy.path }):launch()
  end

  -- What a model is worth on dialogues it has not seen, in truth and to the judge: sampled as in training, and greedy.
  function method.tried(name, model, sft, judge)
    local seen = { plugin = "unifireward", model = judge.checkpoint, reader = sft.checkpoint, by = "likelihood", weight = 0 }
    local sampled = method.load("evaluate", { name = named(name .. "-sampled"), dataset = world, model = { path = model.checkpoint },
      evaluate = { prompts = 400 }, rewards = { { plugin = "esc_world_truth" }, { plugin = "format" }, seen } })
    local greedy = sampled:with { name = named(name .. "-greedy"), sampling = { greedy = true }, evaluate = { group_size = 1 } }
    return sampled:launch(), greedy:launch()
  end

  return method
end
