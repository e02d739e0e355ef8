-- The paper's method on dialogues between people, whose replies and labels stand in place of chat models': one base,
-- SmolLM2, with an adapter for each judge and policy, by experiments/real/*.toml. Every seed draws other rounds of
-- ESConv and trains anew. The dialogues that test are always the same.
--
--   local real = require("lib.real")(2)
--   local ur = real.policy "UR"     -- the run that trains it, after all that it needs
local compeer = require "compeer"

local quickly = { -- with --quick everything is made, and hardly anything learned
  records = { data = { records = 24 } },
  judge = { sft = { steps = 2 } },
  sft = { sft = { steps = 8 } },
  ur = { grpo = { steps = 1 }, ["rewards[0].most_unreadable"] = 1 },
  preferred = { data = { records = 3 } },
  rated = { data = { records = 3 } },
  replies = { evaluate = { prompts = 2 } },
  pairs = { data = { records = 2 } },
}

local sources = { -- of records: the settings of a corpus
  mesc = { plugin = "mesc", path = "corpora/mesc", unit = "dialogue" }, -- train.json and val.json
}
local methods = {} -- by seed and source: rows share what is made

return function(seed, source)
  local key = seed .. (source or "")
  if methods[key] then return methods[key] end
  local real, made = {}, {}
  methods[key] = real

  -- The run of experiments/real/FILE.toml with changes, under a name of its own.
  local function run(file, name, changes)
    name = ("real-" .. (source and source .. "-" or "") .. name):lower():gsub("[^%w._-]+", "-")
    if made[name] then return made[name] end
    local experiment = compeer.load("experiments/real/" .. file .. ".toml")
    if compeer.quick then experiment = experiment:with(quickly[file] or {}) end
    local named = { name = name .. (seed == 1 and "" or "-" .. seed), seed = seed }
    made[name] = experiment:with(changes or {}):with(named):launch()
    return made[name]
  end

  -- Those of the split train, or valid, which tests; or of a few training dialogues: as many right ones as a judge sees.
  local function records(split)
    local changes = { dataset = sources[source] }
    if split == "train" then return run("records", "records", changes).records end
    if split == "few" then
      changes.data = { records = compeer.quick and 24 or 96 }
      return run("records", "records-few", changes).records
    end
    changes.data = { splits = { "valid" }, records = compeer.quick and 12 or 50 }
    return run("records", "records-valid", changes).records
  end
  real.records = records

  -- A judge: unifireward, prm or orm. Each learns once from the same records.
  function real.judge(view)
    local changes = { dataset = { path = records "train", view = view } }
    if view == "prm" then -- a record is three examples, which begin alike
      changes.sft = { batch = 48, together = 12, neighbours = 3 }
    end
    return run("judge", view, changes)
  end

  local function reward(plugin, broken)
    return { plugin = plugin, model = real.judge(plugin).checkpoint, prompts = "plugins/empathy/prompts/en",
      by = "likelihood", broken_format = broken, most_unreadable = compeer.quick and 1 or nil }
  end

  local changes = {
    POR = function() return { rewards = { reward("prm", -5), reward("orm", 0) } } end, -- a broken form as UR's
    UR = function() return { ["rewards[0].model"] = real.judge("unifireward").checkpoint } end,
    ["format only"] = function() return { rewards = { { plugin = "format" } } } end,
  }
  function changes.URP()
    local all = changes.UR()
    all.reweighting = { plugin = "redundancy", tau = 0.5, echo = "left_out", slip = 0.0025 }
    return all
  end

  -- SFT; by GRPO after it POR, UR, URP, or the control that learns nothing but the form.
  function real.policy(name)
    if name == "SFT" then return run("sft", "sft", { dataset = { path = records "train" } }) end
    local all = changes[name]()
    all["model.adapter.path"] = real.policy("SFT").checkpoint
    all["dataset.path"] = records "train"
    return run("ur", name, all)
  end

  -- What a judge says of labels, pairs and rated replies. `judge` has the settings `model` and, if another judges
  -- replies, `outcome_model`; of the encoder `records`, from which it learns.
  function real.judged(name, judge)
    local labels, preferred, rated = { dataset = { path = records "valid" } }, {}, {}
    if judge.records then
      local baseline = { plugin = "encoder_baseline", encoder = "models/minilm", records = judge.records }
      labels.stages, preferred.stages = { baseline }, { baseline }
      rated = { ["stages[2]"] = baseline, ["stages[2].rating"] = "feedback" }
    else
      labels["stages[0].model"], labels["stages[0].apart"] = judge.model, judge.outcome_model ~= nil
      preferred["stages[0].model"], preferred["stages[0].outcome_model"] = judge.model, judge.outcome_model
      rated["stages[2].model"], rated["stages[2].outcome_model"] = judge.model, judge.outcome_model
    end
    return {
      labels = run("labels", "labels-" .. name, labels),
      preferred = run("preferred", "preferred-" .. name, preferred),
      rated = run("rated", "rated-" .. name, rated),
    }
  end

  -- How often a judge is right on these records.
  function real.accuracy(name, judge, path)
    return run("accuracy", "accuracy-" .. name, { dataset = { path = path }, ["stages[0].model"] = judge.checkpoint })
  end

  -- What a policy says, and how likely it finds what people said; without `policy` the base.
  function real.said(name, policy)
    local dataset = { path = records "valid" }
    local model = policy and { adapter = { path = policy.checkpoint } } or {}
    local folder = policy and policy.checkpoint or "models/smollm2"
    return {
      replies = run("replies", "replies-" .. name, { dataset = dataset, model = model }),
      perplexity = run("perplexity", "perplexity-" .. name, { dataset = dataset, ["stages[0].model"] = folder }),
    }
  end

  -- Replies to the same rounds, two by two.
  function real.pairs()
    return run("pairs", "pairs", {
      ["stages[2].supporter.path"] = real.policy("SFT").checkpoint,
      ["stages[3].supporter.path"] = real.policy("UR").checkpoint,
      ["stages[4].supporter.path"] = real.policy("URP").checkpoint,
    })
  end

  return real
end
