-- The paper's method on dialogues between people (ESConv), measured by people's labels, with SmolLM2, a model of 135
-- million parameters. Makes two tables. Judges are measured on labels of unseen dialogues, on pairs that people
-- compared and on replies that seekers rated; policies on people's labels and replies. Takes about three core hours a
-- seed; the figures of each row are kept. docs/lab/real_study.md lists the requirements and the results.
local compeer = require "compeer"
local new_real = require "lib.real"

local seeds = 3

-- Runs a study. Each figure is {title, run, metric}: a metric of one of the runs that `measured(real, row)` returns by
-- name. Rows without a model use the figure's `rule(run)`, the value that is reached without a model.
local function study(name, rows, measured, figures, contrasts)
  local runs, columns = {}, {} -- the runs of a row, by the name of its first run
  for i, one in ipairs(figures) do
    local title, run, metric = table.unpack(one)
    columns[i] = { title, better = one.better, function(result, row)
      local found = runs[result.name] and runs[result.name][run]
      if not found then return nil end
      if row.no_model then return one.rule and one.rule(found) end
      return metric and found[metric]
    end }
  end
  return compeer.study {
    name = name,
    seeds = seeds,
    kept = "docs/lab/data/" .. name,
    rows = rows,
    run = function(seed, row)
      local all = measured(new_real(seed), row)
      local first = all[figures[1][2]]
      runs[first.name] = all
      return first
    end,
    figures = columns,
    contrasts = contrasts,
  }
end

-- Trains UnifiReward, PRM or ORM for one epoch on the same records; PRM makes three examples of each record.
local function judge(real, view)
  if view == "unifireward" then return real.run("real-judge").checkpoint end
  local sft = view == "prm" and { batch = 48, micro_batch = 12, neighbours = 3 } or nil
  return real.run("real-judge", { name = "real-" .. view, dataset = { view = view }, sft = sft }).checkpoint
end

-- Trains a policy: SFT, UR, URP, POR, or the control that is rewarded for the format alone.
local function policy(real, name)
  if name ~= "POR" and name ~= "format only" then return real.run("real-" .. name:lower()).checkpoint end
  local rewards = { { plugin = "format" } }
  for i, view in ipairs(name == "POR" and { "prm", "orm" } or {}) do
    rewards[i] = { plugin = view, model = judge(real, view), prompts = "plugins/empathy/prompts/en",
      score_by = "likelihood", broken_format = view == "prm" and -5 or 0 } -- as for UR
  end
  return real.run("real-ur", { name = "real-" .. name:lower(), rewards = rewards }).checkpoint
end

-- Measures a judge on labels, pairs and rated replies. `asked`: its settings `model` and, if a second model judges
-- replies, `outcome_model`; for the encoder, the `records` that it learns from.
local function judge_runs(real, name, asked)
  local model, outcome = asked.model, asked.outcome_model
  local labels = { ["stages[0].model"] = model, ["stages[0].apart"] = outcome ~= nil }
  local preferred = { ["stages[0].model"] = model, ["stages[0].outcome_model"] = outcome }
  local rated = { ["stages[2].model"] = model, ["stages[2].outcome_model"] = outcome }
  if asked.records then
    local baseline = { plugin = "encoder_baseline", encoder = "models/minilm", records = asked.records }
    labels, preferred = { stages = { baseline } }, { stages = { baseline } }
    rated = { ["stages[2]"] = baseline, ["stages[2].rating"] = "feedback" }
  end
  name = name:lower()
  labels.name, preferred.name, rated.name = "real-labels-" .. name, "real-preferred-" .. name, "real-rated-" .. name
  return {
    labels = real.run("real-labels", labels),
    preferred = real.run("real-preferred", preferred),
    rated = real.run("real-rated", rated),
  }
end

-- Measures a policy's replies, and the likelihood it assigns to people's replies. Without `checkpoint`: the base model.
local function policy_runs(real, name, checkpoint)
  local model = checkpoint and { adapter = { path = checkpoint } } or {}
  name = name:lower()
  return {
    replies = real.run("real-replies", { name = "real-replies-" .. name, model = model }),
    perplexity = real.run("real-perplexity", {
      name = "real-perplexity-" .. name,
      ["stages[0].model"] = checkpoint or "models/smollm2",
    }),
  }
end

local function metric_named(metric) return function(run) return run[metric] end end
local untuned = { model = "models/smollm2" }

local few = { name = "real-records-few", data = { records = 96 } } -- so that it has as many right examples as a judge

-- Rules that need no model: the most frequent label of the tested rounds, and the shorter reply.
local agreement = { "emotion F1", "strategy F1", "pairs", "feedback, order" }
study("real_judges", {
  { "no model", no_model = true }, { "untuned" }, { "MiniLM", learns = {} },
  { "MiniLM, 96 dialogues", learns = few }, { "PRM and ORM", views = { "prm", "orm" } },
  { "UnifiReward", views = { "unifireward" } },
}, function(real, row)
  if row.no_model then return judge_runs(real, "untuned", untuned) end
  if row.learns then return judge_runs(real, row.name, { records = real.run("real-records", row.learns).records }) end
  local judges = {}
  for i, view in ipairs(row.views or {}) do judges[i] = judge(real, view) end
  return judge_runs(real, row.name, row.views and { model = judges[1], outcome_model = judges[2] } or untuned)
end, {
  { "emotion F1", "labels", "emotion.weighted_f1", rule = metric_named "emotion.majority.weighted_f1" },
  { "strategy F1", "labels", "strategy.weighted_f1", rule = metric_named "strategy.majority.weighted_f1" },
  { "emotion F1, calibrated", "labels", "emotion.calibrated.weighted_f1" },
  { "strategy F1, calibrated", "labels", "strategy.calibrated.weighted_f1" },
  { "pairs", "preferred", "judge.same_side", rule = function(run) return 1 - run["longer.same_side"] end },
  { "pairs, order", "preferred", "judge.spearman", rule = function(run) return -run["longer.spearman"] end },
  { "feedback, order", "rated", "judge.spearman", rule = function(run) return -run["longer.spearman"] end },
  { "feedback, alpha", "rated", "judge.alpha" },
  { "ratings", "rated", rule = metric_named "n", better = "neither" }, -- their number
}, {
  { "UnifiReward", "untuned", agreement }, { "UnifiReward", "no model", agreement },
  { "UnifiReward", "MiniLM", agreement }, { "UnifiReward", "PRM and ORM", agreement },
})

local named = { "emotion", "strategy" }
local labels = { "emotion", "strategy", "like people's" }
study("real_policies", {
  { "no model", no_model = true }, { "base" }, { "SFT", policy = "SFT" },
  { "format only", policy = "format only" }, { "POR", policy = "POR" }, { "UR", policy = "UR" }, { "URP", policy = "URP" },
}, function(real, row)
  if row.no_model then return { replies = judge_runs(real, "untuned", untuned).labels } end
  return policy_runs(real, row.name, row.policy and policy(real, row.policy))
end, {
  { "complete", "replies", "rewards/people/format" },
  { "emotion", "replies", "rewards/people/emotion", rule = metric_named "emotion.majority.accuracy" },
  { "strategy", "replies", "rewards/people/strategy", rule = metric_named "strategy.majority.accuracy" },
  { "like people's", "replies", "rewards/likeness/reference" },
  { "like each other", "replies", "rewards/likeness/group", better = "lower" },
  { "repeated", "replies", "rewards/repetition/before", better = "lower" },
  { "distinct-2", "replies", "distinct_2" },
  { "words", "replies", "rewards/people/words", better = "neither" },
  { "perplexity", "perplexity", "of_tokens", better = "lower" },
}, {
  { "SFT", "no model", named }, { "POR", "SFT", labels }, { "UR", "SFT", labels }, { "UR", "POR", labels },
  { "UR", "format only", labels }, { "URP", "UR", { "strategy", "like people's", "like each other" } },
})
