-- What --quick makes of the paper's experiments: SmolLM2 with an adapter in place of Qwen2.5-VL-7B, esc_world's
-- dialogues and players in place of corpora and endpoints. Everything is made, and nothing learned.
local laboratory = require "laboratory"
local quickly = {}

local seeds = { ["gpt-4o"] = 1, ["Qwen2.5-VL-72B-Instruct"] = 2, ["Qwen2.5-72B-Instruct"] = 3 } -- writers who differ

quickly.dialogues = { plugin = "esc_world", unit = "dialogue", train = 16 }
quickly.scenarios = { plugin = "esc_world", unit = "scenario", test = 2 }
quickly.judge = { plugin = "scripted", table = "experiments/paper/quick_judge.jsonl" }

function quickly.player(name) return { plugin = "esc_world", seed = seeds[name] or 4, world = {} } end

local model = { plugin = "auto", path = laboratory.small, adapter = { rank = 8, alpha = 16.0 } }
local training = { ranks = 1, threads = 2, shard = "none", model = model, checkpoint = { every = 0 } }
local changes = { -- of experiments, by their names
  written = { data = { splits = { "train" } }, ["stages[2].rounds"] = 2 },
  cer = { ["stages[5]"] = { valid = 0.3, test = 0.3 } },
  judge = { sft = { batch = 4, steps = 2 } },
  accuracy = { data = { max_malformed = 1.0 } }, -- an untaught judge answers nothing that can be read
  sft = { sft = { batch = 4, steps = 2 } },
  urp = { grpo = { batch = 2, group_size = 2, steps = 2 }, sampling = { max_new_tokens = 24 } },
  esc_eval = { data = { splits = { "test" } }, ["stages[0].supporter_tokens"] = 24 },
  sage = { data = { splits = { "test" } }, ["stages[0]"] = { rounds = 3, supporter_tokens = 24 } },
  consistency = {
    data = { splits = { "test" } },
    ["stages[0]"] = { share = 0.3, max_tokens = 24 },
    ["stages[1].score_by"] = "likelihood",
  },
  pairwise = {
    dataset = { plugin = "esc_world", unit = "dialogue", test = 4 },
    ["stages[1].supporter_tokens"] = 24,
  },
}

function quickly.changed(name, experiment)
  if experiment:get "task" ~= "data" then experiment = experiment:with(training) end
  return experiment:with(changes[name] or {})
end

return quickly
