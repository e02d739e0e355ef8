-- The paper's method in small on esc_world: what the scripts that run it share. A seed has a world of its own. A variant
-- { name = "noisy", world = { ... }, player = { ... } } has other settings of its world and of those who write and annotate.
local compeer = require "compeer"

local quick = compeer.quick -- then all of it is done, and nothing learned
local dialogues, rounds, scenarios = quick and 60 or 1200, 3, quick and 6 or 100
local few = quick and { sft = { steps = 20 }, checkpoint = { every = 0 } } or {}

local function joined(...) -- tables as one; what comes later counts
  local all = {}
  for _, each in ipairs { ... } do
    for key, value in pairs(each) do all[key] = value end
  end
  return all
end

return function(seed, variant)
  variant = variant or {}
  local method, world = {}, joined({ plugin = "esc_world", seed = seed - 1 }, variant.world or {})
  local function named(name)
    return name .. (seed == 1 and "" or "-" .. seed) .. (variant.name and "-" .. variant.name or "")
  end
  local function player(number)
    local seen = joined({ rounds = rounds, seed = seed - 1 }, variant.world or {})
    return joined({ plugin = "esc_world", seed = number, world = seen }, variant.player or {})
  end
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

  -- CER records of what writers and their rivals say, and the run that made them.
  function method.cer()
    return records("cer-small", joined(world, { unit = "dialogue", rounds = rounds, train = dialogues }), { "train" }, {
      { plugin = "deduplicate" }, { plugin = "filter", chat = player(1) }, { plugin = "sample", rounds = 3 },
      { plugin = "generate", writer = player(1), second_writer = player(2) }, annotate, { plugin = "split", again = { "train" } } })
  end

  -- A policy that speaks as the writers do (they are the same for all seeds), and is then taught what is right in those records
  -- (SFT).
  function method.supervised(name, more)
    local base = compeer.load("experiments/esc_world_base.toml"):with(few):launch()
    local writers = compeer.load("experiments/esc_world_sft.toml"):with { model = { path = base.checkpoint } }:with(few):launch()
    local cer = method.cer()
    local sft = method.load("cer_sft", { name = named("esc-world-" .. (name or "cer-sft")), model = { path = writers.checkpoint },
      dataset = { path = cer } }):with(more or {}):with(few):launch()
    return sft, cer, base, writers
  end

  -- Records to teach judges with, which should see a policy's mistakes.
  local judge_data = {} -- made once for each policy and its records
  function method.judge_data(sft, cer)
    local key = sft.path .. " " .. cer
    judge_data[key] = judge_data[key] or records("judge-data", { plugin = "cer", path = cer, view = "record" }, { "train", "valid", "test" }, {
      { plugin = "respond", model = sft.checkpoint }, { plugin = "spoil", share = 0.4 }, annotate,
      { plugin = "read", model = sft.checkpoint } })
    return judge_data[key]
  end

  -- A judge: "unifireward", or a "prm" of steps or an "orm" of replies alone. As many steps are as many records for all of them;
  -- with `share` it gets this part of them.
  function method.taught_judge(view, sft, cer, share)
    local name = view == "unifireward" and "judge" or view
    if share then name = name .. "-" .. share end
    local judge = method.load("judge", { name = named("esc-world-" .. name), model = { path = sft.checkpoint },
      dataset = { path = method.judge_data(sft, cer), view = view } })
    if share then judge = judge:with { sft = { steps = math.floor(share * judge:get "sft.steps") } } end
    -- Each step by itself is a conversation, so three of them are a record.
    if view == "prm" then judge = judge:with { sft = { batch = 3 * judge:get "sft.batch" } } end
    return judge:with(few):launch()
  end

  -- A judge (UnifiReward), and its measurement, before anything learns from it.
  function method.judge(sft, cer)
    local judge = method.taught_judge("unifireward", sft, cer)
    return judge, method.measured("judge-accuracy", method.judge_data(sft, cer), { -- asked as the reward asks
      { plugin = "reward_accuracy", model = judge.checkpoint, reads = true, by = "likelihood" } })
  end

  -- What stages find out of records for judges that none has learned from; those of `method.judge_data`, or of another method.
  function method.measured(name, data, stages)
    local _, run = records(name, { plugin = "cer", path = data, view = "record" }, { "test" }, stages)
    return run
  end

  -- The judge taught further, on what a policy says by now.
  function method.judge_anew(judge, policy, sft, cer)
    local known = records("judge-anew-data", { plugin = "cer", path = cer, view = "record" }, { "train", "valid", "test" }, {
      { plugin = "respond", model = policy.checkpoint }, annotate, { plugin = "read", model = sft.checkpoint } })
    return method.load("judge", { name = named("judge-anew"), model = { path = judge.checkpoint }, dataset = { path = known },
      sft = { steps = 300 } }):with(few):launch()
  end

  -- The policy taught by the judge: "ur", or "urp" with redundancy-aware reweighting; what is behind a "_" is added to its name.
  function method.taught(name, sft, judge, accuracy, more, and_more)
    local floor = accuracy and not quick and { ["rewards[0].accuracy"] = accuracy.path } or {} -- what has learned nothing is refused
    return method.load(name:match "^%a+", { name = named("esc-world-" .. name:gsub("_", "-")), dataset = world, model = { path = sft.checkpoint }, ["rewards[0].model"] = judge.checkpoint,
      ["rewards[0].reader"] = sft.checkpoint }):with(floor):with(more or {}):with(and_more or {}):with(quick and { grpo = { steps = 4 } } or {}):launch()
  end

  -- The policy taught by two judges, one of steps and one of replies (POR): each learned from the records that UR's one judge has
  -- (equal data, as in the paper), or from a `share` of them.
  function method.por(sft, cer, share, more)
    local models = {}
    for i, view in ipairs { "prm", "orm" } do
      local judge = method.taught_judge(view, sft, cer, share)
      models[("rewards[%d].model"):format(i - 1)] = judge.checkpoint
      models[("rewards[%d].reader"):format(i - 1)] = sft.checkpoint
    end
    return method.load("por", { name = named("esc-world-por" .. (share and "-" .. share or "")), dataset = world, model = { path = sft.checkpoint } }):with(models):with(more or {})
      :with(quick and { grpo = { steps = 4 } } or {}):launch()
  end

  -- What a model is worth on dialogues it has not seen, in truth and to the judge: sampled as in training, and greedy.
  function method.tried(name, model, sft, judge)
    local seen = { plugin = "unifireward", model = judge.checkpoint, reader = sft.checkpoint, by = "likelihood", weight = 0 }
    local sampled = method.load("evaluate", { name = named(name .. "-sampled"), dataset = world, model = { path = model.checkpoint },
      evaluate = { prompts = quick and 16 or 400 }, rewards = { { plugin = "esc_world_truth" }, { plugin = "format" }, seen } })
    local greedy = sampled:with { name = named(name .. "-greedy"), sampling = { greedy = true }, evaluate = { group_size = 1 } }
    return sampled:launch(), greedy:launch()
  end

  -- Dialogues of five rounds that a chat model holds with seekers it has not met, scored by a stage: "esc_eval" or "sage".
  -- The players are esc_world's own; `others` replaces them or, where it names no plugin, changes their settings.
  function method.played(stage, name, chat, others)
    local seeker = { plugin = "esc_world", world = joined({ seed = seed - 1 }, variant.world or {}) }
    local players = stage == "sage" and { simulator = seeker } or { role_player = seeker, judge = seeker }
    local plays = joined({ plugin = stage, supporter = chat, supporter_temperature = 1.0, supporter_system = false }, players)
    for key, value in pairs(others or {}) do
      plays[key] = players[key] and not value.plugin and joined(players[key], value) or value
    end
    return compeer.experiment { name = named(stage .. "-" .. name:gsub("%s", "-")), task = "data", seed = seed, ranks = 2,
      dataset = joined(world, { unit = "scenario", test = scenarios }), data = { splits = { "test" } },
      stages = { plays, { plugin = "diversity" }, { plugin = "world_truth", world = seeker.world } } }:launch()
  end

  return method
end
