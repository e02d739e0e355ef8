-- The paper's method by experiments/paper/*.toml, as runs that read each other's output:
--
--   local method = require("lib.method")(1)   -- seed 1
--   local urp = method.policy "URP"           -- GRPO with UnifiReward, after CER, SFT and the judge
local compeer = require "compeer"
local laboratory = require "laboratory"
local quick = compeer.quick and require "lib.quick"

local function merge(values, more)
  for key, value in pairs(more or {}) do values[key] = value end
  return values
end

local prompts = "plugins/empathy/prompts/en" -- the judges' prompts

-- Returns the chat model of this name; with --quick a player that needs no network.
local function endpoint(name)
  if quick then return quick.player(name) end
  local here = laboratory.endpoints[name]
  if not here then error("scripts/paper/laboratory.lua names no endpoint of " .. name, 0) end
  return merge({ plugin = "openai", name = name }, here)
end

-- Returns the settings with the laboratory's endpoints filled in.
local function with_endpoints(value)
  if type(value) ~= "table" then return value end
  if value.plugin == "openai" then return endpoint(value.name) end
  for key, each in pairs(value) do value[key] = with_endpoints(each) end
  return value
end

local methods = {} -- by seed, shared by the rows of a study

return function(seed)
  if methods[seed] then return methods[seed] end
  local method, runs = {}, {}
  methods[seed] = method

  -- Launches experiments/paper/FILE.toml with changes. `name` distinguishes runs of one file. `edit` changes the first
  -- stage, and may remove settings of the file.
  local function run(file, changes, name, edit)
    name = ("paper-" .. (name or file)):gsub("[^%w._-]+", "-") .. (seed == 1 and "" or "-" .. seed)
    if runs[name] then return runs[name] end
    local experiment = compeer.load("experiments/paper/" .. file .. ".toml")
    if quick then experiment = quick.changed(file, experiment) end
    experiment = experiment:with(changes)
    local resolved = experiment:resolve()
    if resolved.dataset.pictures == "shown" and not quick then
      experiment = experiment:with { ["dataset.media"] = laboratory.pictures }
    end
    local model = resolved.model
    if model and model.adapter and model.merger then -- an adapter changes only the text model
      experiment = experiment:with { ["model.merger"] = false }
    end
    local stages = resolved.stages
    if edit then edit(stages[1]) end
    runs[name] = experiment:with({ name = name, seed = seed, stages = with_endpoints(stages) }):launch()
    return runs[name]
  end

  -- Returns the initial model of a run: an adapter to train further, or a whole model.
  local function initial_model(checkpoint)
    local adapter = quick or compeer.load("experiments/paper/sft.toml"):resolve().model.adapter
    return adapter and { adapter = { path = checkpoint } } or { path = checkpoint }
  end

  -- Returns the files of the records that two models wrote for each corpus.
  function method.written()
    local files, times = {}, {}
    for i, corpus in ipairs(quick and { quick.dialogues } or laboratory.corpora) do
      local dataset, plugin = merge({ unit = "dialogue" }, corpus), corpus.plugin
      times[plugin] = (times[plugin] or 0) + 1
      local name = "written-" .. plugin .. (times[plugin] > 1 and "-" .. times[plugin] or "")
      files[i] = run("written", { dataset = dataset }, name).records
    end
    return files
  end

  -- Returns the dataset settings of CER's input files.
  local function records()
    if laboratory.records and not quick then return { path = laboratory.records } end
    local files = method.written()
    return { path = files[1], more = { table.unpack(files, 2) } }
  end

  -- Makes CER; `rewriting`: "plain" for UnifiReward-R.
  function method.cer(rewriting)
    local plain = rewriting == "plain"
    local changes = { dataset = records(), ["stages[3].as_persona"] = not plain }
    return run("cer", changes, plain and "cer-plain" or "cer")
  end

  function method.sft()
    return run("sft", { dataset = { path = method.cer().records } })
  end

  -- Trains a judge for two epochs. `view`: unifireward, prm or orm. `rewritten` and `rewriting` select the records that
  -- it learns from.
  function method.judge(row)
    local rewritten = row.rewritten or "kept"
    local sft = { batch = row.view == "prm" and 192 or 64 } -- PRM makes three conversations of a record
    if rewritten == "left_out" then sft.steps = 350 end
    local dataset = { path = method.cer(row.rewriting).records, view = row.view, rewritten = rewritten }
    local name = table.concat({ row.view, rewritten, row.rewriting }, "-")
    return run("judge", { dataset = dataset, sft = not quick and sft or nil }, name)
  end

  local function reward(plugin)
    return { plugin = plugin, model = method.judge({ view = plugin }).checkpoint, prompts = prompts,
      max_unreadable = quick and 1 or nil } -- the answers of an untrained judge are malformed
  end

  -- Trains a policy: SFT, POR, UR or URP.
  function method.policy(name)
    local sft = method.sft()
    if name == "SFT" then return sft end
    local changes = {
      model = initial_model(sft.checkpoint),
      dataset = { path = method.cer().records },
      rewards = name == "POR" and { reward "prm", reward "orm", { plugin = "format" } } or { reward "unifireward" },
    }
    if name ~= "URP" then changes.reweighting = { plugin = "none" } end
    return run("urp", changes, name:lower())
  end

  -- Measures the accuracy of a judge on held-out records. A row has a `chat_model`, or `views`: one or two judges to
  -- train.
  function method.accuracy(row)
    local judges = {}
    for i, view in ipairs(row.views or {}) do
      judges[i] = method.judge({ view = view, rewritten = row.rewritten, rewriting = row.rewriting }).checkpoint
    end
    return run("accuracy", { dataset = { path = method.cer().records } }, "accuracy-" .. row.name, function(stage)
      stage.model, stage.outcome_model = judges[1], judges[2]
      if row.chat_model then stage.chat = quick and quick.judge or endpoint(row.chat_model) end
    end)
  end

  -- Measures how often the verdicts of one judge, or of two, contradict each other.
  function method.consistency(row)
    return run("consistency", {
      dataset = { path = method.cer().records },
      ["stages[0].model"] = method.sft().checkpoint,
      ["stages[1].model"] = method.judge({ view = row.views[1] }).checkpoint,
      ["stages[1].outcome_model"] = row.views[2] and method.judge({ view = row.views[2] }).checkpoint or nil,
    }, "consistency-" .. row.name)
  end

  -- Returns a function that sets a stage's supporter to the row's policy, or to its `chat_model`, with the reasoning
  -- prompt or without.
  local function with_supporter(row)
    local checkpoint = row.policy and method.policy(row.policy).checkpoint
    return function(stage)
      stage.supporter = checkpoint and { plugin = "local", path = checkpoint } or endpoint(row.chat_model)
      if not checkpoint and not row.reasoning then stage.supporter_prompt = nil end
      if row.thinks and not quick then stage.supporter_tokens = 4096 end
    end
  end

  -- Plays ESC-Eval's dialogues; `language` of the role cards: "en" or "zh".
  function method.esc_eval(row, language)
    local cards = quick and quick.scenarios or { path = "corpora/esc-eval/card_high_" .. language .. ".json" }
    return run("esc_eval", { dataset = cards }, "esc-eval-" .. language .. "-" .. row.name, with_supporter(row))
  end

  function method.sage(row)
    return run("sage", { dataset = quick and quick.scenarios or nil }, "sage-" .. row.name, with_supporter(row))
  end

  -- Makes pairs of replies to dialogues with pictures, compared by people, with --quick by esc_world's judge.
  function method.pairwise()
    return run("pairwise", {
      ["stages[1].supporter.path"] = method.policy("URP").checkpoint,
      ["stages[5].judge"] = quick and quick.player "gpt-4o" or nil,
    })
  end

  return method
end
