-- The paper's method by experiments/paper/*.toml, as runs that read each other's output:
--
--   local method = require("lib.method")(1)   -- seed 1
--   local urp = method.policy "URP"           -- GRPO by UnifiReward, after CER, SFT and the judge that it takes
local compeer = require "compeer"
local laboratory = require "laboratory"
local quickly = compeer.quick and require "lib.quickly"

local function merge(values, more)
  for key, value in pairs(more or {}) do values[key] = value end
  return values
end

local prompts = "plugins/empathy/prompts/en" -- for judges

-- The chat model of this name; with --quick a player that needs no network.
local function endpoint(name)
  if quickly then return quickly.player(name) end
  local here = laboratory.endpoints[name]
  if not here then error("scripts/paper/laboratory.lua names no endpoint of " .. name, 0) end
  return merge({ plugin = "openai", name = name }, here)
end

-- Settings with the laboratory's endpoints.
local function settled(value)
  if type(value) ~= "table" then return value end
  if value.plugin == "openai" then return endpoint(value.name) end
  for key, each in pairs(value) do value[key] = settled(each) end
  return value
end

local methods = {} -- by seed: rows of a study share what is made

return function(seed)
  if methods[seed] then return methods[seed] end
  local method, made = {}, {}
  methods[seed] = method

  -- The run of experiments/paper/FILE.toml with changes; `name` tells runs of a file apart. `edit` changes the first
  -- stage, and may leave out what the file says.
  local function run(file, changes, name, edit)
    name = ("paper-" .. (name or file)):gsub("[^%w._-]+", "-") .. (seed == 1 and "" or "-" .. seed)
    if made[name] then return made[name] end
    local experiment = compeer.load("experiments/paper/" .. file .. ".toml")
    if quickly then experiment = quickly.changed(file, experiment) end
    experiment = experiment:with(changes)
    local resolved = experiment:resolve()
    if resolved.dataset.pictures == "shown" and not quickly then
      experiment = experiment:with { ["dataset.media"] = laboratory.pictures }
    end
    local model = resolved.model
    if model and model.adapter and model.merger then -- an adapter changes the text model alone
      experiment = experiment:with { ["model.merger"] = false }
    end
    local stages = resolved.stages
    if edit then edit(stages[1]) end
    made[name] = experiment:with({ name = name, seed = seed, stages = settled(stages) }):launch()
    return made[name]
  end

  -- The model that a run begins with: an adapter goes on with an adapter.
  local function beginning(checkpoint)
    local adapter = quickly or compeer.load("experiments/paper/sft.toml"):resolve().model.adapter
    return adapter and { adapter = { path = checkpoint } } or { path = checkpoint }
  end

  -- What two models wrote to each corpus: files of records.
  function method.written()
    local files, times = {}, {}
    for i, corpus in ipairs(quickly and { quickly.dialogues } or laboratory.corpora) do
      local dataset, plugin = merge({ unit = "dialogue" }, corpus), corpus.plugin
      times[plugin] = (times[plugin] or 0) + 1
      local name = "written-" .. plugin .. (times[plugin] > 1 and "-" .. times[plugin] or "")
      files[i] = run("written", { dataset = dataset }, name).records
    end
    return files
  end

  -- The files that CER is made of.
  local function records()
    if laboratory.records and not quickly then return { path = laboratory.records } end
    local files = method.written()
    return { path = files[1], more = { table.unpack(files, 2) } }
  end

  -- CER; `rewriting` is "plain" for UnifiReward-R.
  function method.cer(rewriting)
    local plain = rewriting == "plain"
    local changes = { dataset = records(), ["stages[3].as_persona"] = not plain }
    return run("cer", changes, plain and "cer-plain" or "cer")
  end

  function method.sft()
    return run("sft", { dataset = { path = method.cer().records } })
  end

  -- A judge: `view` is unifireward, prm or orm. `rewritten` and `rewriting` say which records it learns from; each is
  -- read twice.
  function method.judge(row)
    local rewritten = row.rewritten or "kept"
    local sft = { batch = row.view == "prm" and 192 or 64 } -- three conversations of PRM are a record
    if rewritten == "left_out" then sft.steps = 350 end
    local dataset = { path = method.cer(row.rewriting).records, view = row.view, rewritten = rewritten }
    local name = table.concat({ row.view, rewritten, row.rewriting }, "-")
    return run("judge", { dataset = dataset, sft = not quickly and sft or nil }, name)
  end

  local function reward(plugin)
    return { plugin = plugin, model = method.judge({ view = plugin }).checkpoint, prompts = prompts,
      max_unreadable = quickly and 1 or nil } -- an untaught judge answers nothing that can be read
  end

  -- SFT, POR, UR or URP.
  function method.policy(name)
    local sft = method.sft()
    if name == "SFT" then return sft end
    local changes = {
      model = beginning(sft.checkpoint),
      dataset = { path = method.cer().records },
      rewards = name == "POR" and { reward "prm", reward "orm", { plugin = "format" } } or { reward "unifireward" },
    }
    if name ~= "URP" then changes.reweighting = { plugin = "none" } end
    return run("urp", changes, name:lower())
  end

  -- How often a judge is right on records that it hasn't learned from: a chat model, `asked`, or judges of ours of one
  -- view or two.
  function method.accuracy(row)
    local judges = {}
    for i, view in ipairs(row.views or {}) do
      judges[i] = method.judge({ view = view, rewritten = row.rewritten, rewriting = row.rewriting }).checkpoint
    end
    return run("accuracy", { dataset = { path = method.cer().records } }, "accuracy-" .. row.name, function(stage)
      stage.model, stage.outcome_model = judges[1], judges[2]
      if row.asked then stage.chat = quickly and quickly.judge or endpoint(row.asked) end
    end)
  end

  -- How often the verdicts of one judge, or of two, contradict each other.
  function method.consistency(row)
    return run("consistency", {
      dataset = { path = method.cer().records },
      ["stages[0].model"] = method.sft().checkpoint,
      ["stages[1].model"] = method.judge({ view = row.views[1] }).checkpoint,
      ["stages[1].outcome_model"] = row.views[2] and method.judge({ view = row.views[2] }).checkpoint or nil,
    }, "consistency-" .. row.name)
  end

  -- A row's supporter under test: a policy, or a chat model, `asked`, with the reasoning prompt or without.
  local function tested(row)
    local checkpoint = row.policy and method.policy(row.policy).checkpoint
    return function(stage)
      stage.supporter = checkpoint and { plugin = "local", path = checkpoint } or endpoint(row.asked)
      if not checkpoint and not row.reasoning then stage.supporter_prompt = nil end
      if row.thinks and not quickly then stage.supporter_tokens = 4096 end
    end
  end

  -- Dialogues with ESC-Eval's seekers, whose cards are in "en" or "zh".
  function method.esc_eval(row, language)
    local cards = quickly and quickly.scenarios or { path = "corpora/esc-eval/card_high_" .. language .. ".json" }
    return run("esc_eval", { dataset = cards }, "esc-eval-" .. language .. "-" .. row.name, tested(row))
  end

  function method.sage(row)
    return run("sage", { dataset = quickly and quickly.scenarios or nil }, "sage-" .. row.name, tested(row))
  end

  -- Replies to dialogues with pictures, two by two. People compare them; with --quick esc_world's judge does.
  function method.pairwise()
    return run("pairwise", {
      ["stages[1].supporter.path"] = method.policy("URP").checkpoint,
      ["stages[5].judge"] = quickly and quickly.player "gpt-4o" or nil,
    })
  end

  return method
end
