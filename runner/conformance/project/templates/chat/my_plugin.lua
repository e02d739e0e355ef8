-- my_plugin answers dialogues of esc_world, the generated world that comes with compeer.
local compeer = require "compeer"
local run = compeer.experiment {
  name = "my_plugin",
  task = "data",
  dataset = { plugin = "esc_world", unit = "dialogue", train = 20 },
  data = { splits = { "train" } },
  stages = {
    { plugin = "sample", rounds = 1 },
    { plugin = "answer", supporter = { plugin = "my_plugin", words = "Tell me more of" } },
  },
}
local result = run:launch()
print(result.stages)
print("the answers are in " .. result.path .. "/stages/02-answer.jsonl")
