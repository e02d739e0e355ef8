-- Does a policy that learns from a judge get better in truth, and how far do the two drift apart? SFT against UR over seeds, each
-- with a world, a data set, policies and a judge of its own. Seven to ten minutes a seed on two cores.
local compeer = require "compeer"
local seeds = compeer.quick and 1 or 5

local truth, judged, quality = "rewards/esc_world_truth/reward", "rewards/unifireward/reward", "rewards/esc_world_truth/quality"
local figures = {
  { "true reward", function(run) return run[truth] end },
  { "judged reward", function(run) return run[judged] end },
  { "judged - true", function(run) return run[judged] - run[truth] end },
  { "true quality of the reply", function(run) return run[quality] end },
}
local runs = {} -- of each seed: SFT sampled and greedy, UR sampled and greedy
for seed = 1, seeds do
  local method = require("lib.method")(seed)
  local sft, cer = method.supervised()
  local judge, accuracy = method.judge(sft, cer)
  local ur = method.taught("ur", sft, judge, accuracy)
  runs[seed] = { method.tried("sft", sft, sft, judge) }
  runs[seed][3], runs[seed][4] = method.tried("ur", ur, sft, judge)
end

print(("%-38s%15s%15s%15s   seed by seed"):format("", "SFT", "UR", "UR - SFT"))
for way, name in ipairs { "sampled", "greedy" } do
  for _, figure in ipairs(figures) do
    local before, after, each = {}, {}, ""
    for seed, run in ipairs(runs) do
      before[seed], after[seed] = figure[2](run[way]), figure[2](run[way + 2])
      each = each .. (" %+.2f"):format(after[seed] - before[seed])
    end
    local line = ("%-38s"):format(figure[1] .. ", " .. name)
    for _, found in ipairs { compeer.interval(before), compeer.interval(after), compeer.difference(after, before) } do
      line = line .. ("%8.2f %6s "):format(found.mean, found.half and ("±%.2f"):format(found.half) or "")
    end
    print(line .. "  " .. each)
  end
end
