-- A few steps of supervised fine-tuning on my_plugin, with the model of the small run that comes with compeer.
local compeer = require "compeer"
local run = compeer.load("experiments/smoke_grpo.toml"):with {
  name = "my_plugin",
  task = "sft",
  dataset = { plugin = "my_plugin", limit = 20 },
  sft = { steps = 20 },
}
print("loss of the last steps", run:launch().loss)
