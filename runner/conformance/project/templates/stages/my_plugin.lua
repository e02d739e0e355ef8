-- Runs my_plugin on dialogues of esc_world, the generated world that comes with compeer.
local compeer = require "compeer"
local run = compeer.experiment {
  name = "my_plugin",
  task = "data",
  dataset = { plugin = "esc_world", unit = "dialogue", train = 100 },
  data = { splits = { "train" } },
  stages = { { plugin = "my_plugin", least = 2 } },
}
local result = run:launch()
print(result.stages)
print("the remaining records are in " .. result.path .. "/stages/01-my_plugin.jsonl")
