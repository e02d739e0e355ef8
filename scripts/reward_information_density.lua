-- Does a further reward for information move a policy along the trade-off between Humanoid and Information, or off it? UR with
-- more and more weight on how many different words of substance a reply has. Over three seeds.
local compeer = require "compeer"
local policies = require "lib.policies"
local seeds = compeer.quick and 1 or 3

local density = [[
return { parts = { "density" }, score = function(completion)
  local reply, seen, count = completion.text:match "^.*>(.-)$" or completion.text, {}, 0
  for word in reply:gmatch "%a%a%a%a%a+" do
    if not seen[word] then seen[word], count = true, count + 1 end
  end
  return math.min(count, 8) / 4 - 1 -- from -1 to 1
end }]]

local rows = require("lib.rows")()
for seed = 1, seeds do
  local _, method, made = policies(seed, true)
  for _, weight in ipairs { 0.0, 0.5, 1.0, 2.0 } do
    local name = weight == 0 and "ur" or "ur_density-" .. weight
    local policy = made.taught(name, weight > 0 and {
      ["rewards[2]"] = { plugin = "lua", label = "density", script = density, weight = weight } } or {})
    rows.add("weight " .. weight, method.played("esc_eval", name:gsub("_", "-"), { plugin = "local", path = policy.checkpoint }))
  end
end

rows.show({
  { "Humanoid", "01-esc_eval/human/value", better = 1 }, { "Information", "01-esc_eval/suggestion/value", better = 1 },
  { "Overall", "01-esc_eval/overall/value", better = 1 }, { "true quality", "03-world_truth/quality/value", better = 1 },
  { "words a reply", "02-diversity/length/value" } }, "weight 0.0")
compeer.report { title = "A reward for information", output = compeer.folder .. "/reward_information_density.html", runs = rows.runs,
  frontier = { x = "01-esc_eval/suggestion/value", y = "01-esc_eval/human/value" } }
