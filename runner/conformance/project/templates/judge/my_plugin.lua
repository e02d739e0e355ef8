-- Does a policy learn what a judge prefers? The small run that comes with compeer, with my_plugin as its only reward.
-- judge.jsonl replaces a chat model: it answers yes for replies that begin with a blank. To use a real one, set
-- judge = { plugin = "openai", ... } or { plugin = "local", path = "a model's folder" }.
local compeer = require "compeer"
local run = compeer.load("experiments/smoke_grpo.toml"):with {
  name = "my_plugin",
  rewards = { { plugin = "my_plugin", judge = { plugin = "scripted", table = "judge.jsonl" } } },
}
local result = run:launch()
print("share of yes in the last steps", result["rewards/my_plugin/reward"])
