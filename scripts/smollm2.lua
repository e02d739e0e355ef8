-- A first real run: SmolLM2, a language model of 135 million parameters, learns to give emotional support in three
-- steps, by LoRA: their form from dialogues (SFT), then by rewards (GRPO). Before, after SFT and after GRPO the model
-- answers the same prompts with the same random numbers, and the report shows what it says. docs/first_model.md tells
-- where the model comes from, and how to take ESConv's dialogues in place of esc_world's.
local compeer = require "compeer"
local smollm2 = require "lib.smollm2"

local base = smollm2.base
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

local before = smollm2.tried(base, name .. "-before")
local sft, grpo = smollm2.learnt(base, name)
local after_sft = smollm2.tried(base, name .. "-after-sft", { path = sft.checkpoint })
local after_grpo = smollm2.tried(base, name .. "-after-grpo", { path = grpo.checkpoint })

compeer.report {
  title = "SmolLM2 before, after SFT, after GRPO",
  output = compeer.folder .. "/" .. name .. ".html",
  runs = { before, after_sft, after_grpo, sft, grpo },
}
print(compeer.results({ before, after_sft, after_grpo }):table("name", "reward", table.unpack(figures)))
