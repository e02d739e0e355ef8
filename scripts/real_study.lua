-- The paper's method on dialogues between people (ESConv), measured by what people said, with SmolLM2: a model of 135
-- million parameters. Two tables: judges, by labels of dialogues that they haven't seen, by pairs that people compared
-- and by replies that seekers rated; policies, by people's labels and replies. Some four core hours a seed, and each
-- row's figures are kept. What it needs, and what came out: docs/lab/real_study.md.
local compeer = require "compeer"
local new_real = require "lib.real"

local seeds = 3

-- A study whose figures are {title, run, metric}, of the runs that `measured(real, row)` gives by name.
local function study(name, rows, measured, figures, contrasts)
  local runs, columns = {}, {} -- runs by the name of the first, which stands for all
  for i, one in ipairs(figures) do
    local title, run, metric = table.unpack(one)
    columns[i] = { title, better = one.better, function(result)
      return runs[result.name] and runs[result.name][run][metric]
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

local agreement = { "emotion F1", "strategy F1", "pairs", "feedback, order" }
study("real_judges", {
  { "untuned" }, { "MiniLM", encoder = true }, { "PRM and ORM", views = { "prm", "orm" } },
  { "UnifiReward", views = { "unifireward" } },
}, function(real, row)
  if row.encoder then return real.judged(row.name) end
  local judges = {}
  for i, view in ipairs(row.views or {}) do judges[i] = real.judge(view).checkpoint end
  local steps = judges[1] or "models/smollm2"
  return real.judged(row.name, steps, judges[2] or steps)
end, {
  { "emotion F1", "labels", "emotion.weighted_f1" },
  { "strategy F1", "labels", "strategy.weighted_f1" },
  { "pairs", "preferred", "judge.same_side" },
  { "pairs, order", "preferred", "judge.spearman" },
  { "feedback, order", "rated", "judge.spearman" },
  { "feedback, alpha", "rated", "judge.alpha" },
}, {
  { "UnifiReward", "untuned", agreement }, { "UnifiReward", "MiniLM", agreement },
  { "UnifiReward", "PRM and ORM", agreement },
})

local labels = { "emotion", "strategy", "like people's" }
study("real_policies", {
  { "base" }, { "SFT", policy = "SFT" }, { "format only", policy = "format only" }, { "POR", policy = "POR" },
  { "UR", policy = "UR" }, { "URP", policy = "URP" },
}, function(real, row)
  return real.said(row.name, row.policy and real.policy(row.policy))
end, {
  { "complete", "replies", "rewards/people/format" },
  { "emotion", "replies", "rewards/people/emotion" },
  { "strategy", "replies", "rewards/people/strategy" },
  { "like people's", "replies", "rewards/likeness/reference" },
  { "like each other", "replies", "rewards/likeness/group", better = "lower" },
  { "repeated", "replies", "rewards/repetition/before", better = "lower" },
  { "distinct-2", "replies", "distinct_2" },
  { "words", "replies", "rewards/people/words", better = "neither" },
  { "perplexity", "perplexity", "of_tokens", better = "lower" },
}, {
  { "SFT", "base", labels }, { "POR", "SFT", labels }, { "UR", "SFT", labels }, { "UR", "POR", labels },
  { "UR", "format only", labels }, { "URP", "UR", { "strategy", "like people's", "like each other" } },
})
