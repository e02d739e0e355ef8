-- Does a further reward for information move a policy along the trade-off between Humanoid and Information, or beyond
-- it? UR with a growing weight on the number of different content words of a reply.
local compeer = require "compeer"
local new_method = require "lib.method"

local density = [[
return { parts = { "density" }, score = function(completion)
  local reply, seen, count = completion.text:match "^.*>(.-)$" or completion.text, {}, 0
  for word in reply:gmatch "%a%a%a%a%a+" do
    if not seen[word] then seen[word], count = true, count + 1 end
  end
  return math.min(count, 8) / 4 - 1 -- from -1 to 1
end }]]

local function policy(method, weight)
  if weight == 0 then return method.run "esc-world-ur" end
  return method.run("esc-world-ur", {
    name = "esc-world-ur-density-" .. weight,
    ["rewards[2]"] = { plugin = "lua", label = "density", script = density, weight = weight },
  })
end

local study = compeer.study {
  name = "density",
  seeds = 3,
  rows = {
    { "weight 0", weight = 0, played = "esc_eval-ur" },
    { "weight 0.5", weight = 0.5, played = "esc_eval-ur-density-0.5" },
    { "weight 1", weight = 1.0, played = "esc_eval-ur-density-1.0" },
    { "weight 2", weight = 2.0, played = "esc_eval-ur-density-2.0" },
  },
  run = function(seed, row)
    local method = new_method(seed)
    local supporter = policy(method, row.weight).checkpoint
    return method.run("esc_eval", { name = row.played, ["stages[0].supporter.path"] = supporter })
  end,
  figures = {
    { "Humanoid", "esc_eval.human" },
    { "Information", "esc_eval.suggestion" },
    { "Overall", "esc_eval.overall" },
    { "true quality", "world_truth.quality" },
    { "words a reply", "diversity.length", better = "neither" },
  },
  against = "weight 0",
}
compeer.report {
  title = "A reward for information",
  output = compeer.folder .. "/reward_information_density.html",
  runs = study.runs,
  frontier = { x = "esc_eval.suggestion", y = "esc_eval.human" },
}
