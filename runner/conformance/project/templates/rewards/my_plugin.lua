-- Does a policy learn what my_plugin rewards? The small run that comes with compeer, with this as its only reward.
local compeer = require "compeer"
local run = compeer.load("experiments/smoke_grpo.toml"):with {
  name = "my_plugin",
  rewards = { { plugin = "my_plugin", most = 2 } },
}
local result = run:launch()
print("mean reward of the last steps", result["rewards/my_plugin/reward"])
print("questions in a completion", result["rewards/my_plugin/questions"])
