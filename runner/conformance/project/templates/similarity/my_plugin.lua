-- The small run that comes with compeer; my_plugin measures how similar completions of a group are.
local compeer = require "compeer"
local run = compeer.load("experiments/smoke_grpo.toml"):with {
  name = "my_plugin",
  reweighting = { plugin = "redundancy", similarity = "my_plugin" },
}
local result = run:launch()
print("similarity of a completion to the others of its group", result["redundancy/s_in"])
