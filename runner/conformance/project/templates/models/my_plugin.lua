-- The small run that comes with compeer, with my_plugin as the model that learns.
local compeer = require "compeer"
local run = compeer.load("experiments/smoke_grpo.toml"):with {
  name = "my_plugin",
  model = { plugin = "my_plugin", config = { width = 16 } },
}
local result = run:launch()
print("mean reward of the last steps", result.reward)
print("the model is in " .. result.checkpoint)
