-- The small run that comes with compeer, with rewards reweighted by my_plugin.
local compeer = require "compeer"
local run = compeer.load("experiments/smoke_grpo.toml"):with {
  name = "my_plugin",
  reweighting = { plugin = "my_plugin" },
}
local result = run:launch()
print("copies of a completion in its group, itself included", result["my_plugin/copies"])
