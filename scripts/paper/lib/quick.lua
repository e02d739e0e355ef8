-- Changes by --quick to the paper's experiments: SmolLM2 with an adapter replaces Qwen2.5-VL-7B, esc_world's dialogues
-- and players replace corpora and endpoints. Every run is launched, but learns nothing.
local laboratory = require "laboratory"
local quick = {}

-- seeds of the players, which make writers differ
local seeds = { ["gpt-4o"] = 1, ["Qwen2.5-VL-72B-Instruct"] = 2, ["Qwen2.5-72B-Instruct"] = 3 }

quick.dialogues = { plugin = "esc_world", unit = "dialogue", train = 16 }
quick.scenarios = { plugin = "esc_world", unit = "scenario", test = 2 }
quick.judge = { plugin = "scripted", table = "experiments/paper/quick_judge.jsonl" }

function quick.player(name) return { plugin = "esc_world", seed = seeds[name] or 4, world = {} } end

local model = { plugin = "auto", path = laboratory.small, adapter = { rank = 8, alpha = 16.0 } }
local training = { ranks = 1, threads = 2, shard = "none", model = model, checkpoint = { every = 0 } }
local changes = { -- by name of the experiment
  written = { data = { splits = { "train" } }, ["stages[2].rounds"] = 2 },
  cer = { ["stages[5]"] = { valid = 0.3, test = 0.3 } },
  judge = { sft = { batch = 4, steps = 2 } },
  accuracy = { data = { max_malformed = 1.0 } }, -- the answers of an untrained judge are malformed
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

function quick.changed(name, experiment)
  if experiment:get "task" ~= "data" then experiment = experiment:with(training) end
  return experiment:with(changes[name] or {})
end

return quick
